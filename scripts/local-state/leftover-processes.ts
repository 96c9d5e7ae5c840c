import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * When the supervisor is killed, its runtime processes go on: they would hold the port, and write to the databases
 * beside the processes of the next start. Each running process therefore has a file in the state folder, and a start
 * ends what an earlier supervisor left behind.
 */

/** Environment variable of a runtime process that names the state folder of its server. */
export const STATE_VARIABLE = 'SLUICE_STATE';

const ENDED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Folder of these files within the state folder. */
export const PROCESS_FOLDER = 'processes';

const processFolder = (stateDir: string) => join(stateDir, PROCESS_FOLDER);
const processFile = (stateDir: string, pid: number) => join(processFolder(stateDir), String(pid));

export function recordProcess(stateDir: string, pid: number): void {
  mkdirSync(processFolder(stateDir), { recursive: true });
  writeFileSync(processFile(stateDir, pid), '');
}

export function forgetProcess(stateDir: string, pid: number): void {
  rmSync(processFile(stateDir, pid), { force: true });
}

/**
 * Kills the runtime processes that an earlier supervisor of this state left behind, and resolves once they are gone.
 * The caller must hold the lock of the state. Returns the number of processes killed.
 */
export async function endLeftoverProcesses(stateDir: string): Promise<number> {
  const folder = processFolder(stateDir);
  if (!existsSync(folder)) return 0;
  const pids = readdirSync(folder).map(Number).filter(Number.isInteger);
  const left = pids.filter((pid) => belongsTo(stateDir, pid));
  for (const pid of left) process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + ENDED_WITHIN_MS;
  while (left.some((pid) => belongsTo(stateDir, pid)) && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
  rmSync(folder, { recursive: true, force: true });
  return left.length;
}

/** Whether a process still runs for this state. Its number may belong to another program by now. */
function belongsTo(stateDir: string, pid: number): boolean {
  const entry = `${STATE_VARIABLE}=${resolve(stateDir)}`;
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry);
    const command = execFileSync('ps', ['-E', '-ww', '-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
    });
    return `${command.trim()} `.includes(` ${entry} `);
  } catch {
    // There is no such process, or it belongs to another user.
    return false;
  }
}
