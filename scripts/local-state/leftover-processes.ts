import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * If the supervisor is killed, its runtime processes keep running. They would occupy the port, and write to
 * the databases at the same time as the processes of the next start. Each running process therefore has a
 * file in the state folder, and a start ends the processes of an earlier supervisor.
 */

/** Environment variable with the state folder that a runtime process belongs to. */
export const STATE_VARIABLE = 'SLUICE_STATE';

const ENDED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Folder in the state folder with one file for each running process. */
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
 * Kills the runtime processes that an earlier supervisor of this state left behind. Resolves with their
 * number once they have ended. The caller must hold the lock of the state.
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

/** Returns true if a process still runs for this state. Its pid may have been reused by another program. */
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
    // The check failed: the process does not exist, or it belongs to another user.
    return false;
  }
}
