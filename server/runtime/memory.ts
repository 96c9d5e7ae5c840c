import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const MIB = 1024 * 1024;
const run = promisify(execFile);

/** Returns the resident memory of a process in MiB, or `undefined` if the process has ended. */
export async function residentMib(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kib = /^VmRSS:\s*(\d+)/m.exec(status)?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / MIB;
  }
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? undefined : (Number(stdout) * 1024) / MIB;
}
