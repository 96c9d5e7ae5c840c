import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const MEBIBYTE_IN_KIB = 1024;

/** The runtime's processes among those that this one started; none where /proc is not to be had. */
export function runtimePids(parent = process.pid): number[] {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    const children = processes.filter((pid) => parentOf(pid) === parent);
    return children.flatMap((pid) => (nameOf(pid) === 'workerd' ? [pid] : runtimePids(pid)));
  } catch {
    return [];
  }
}

const stat = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
};
const nameOf = (pid: number) => /\((.*)\)/.exec(stat(pid))?.[1];
const parentOf = (pid: number) => Number(/\) \S (\d+)/.exec(stat(pid))?.[1]);

/** MiB that the largest of the processes held at most since `resetPeak`. */
export const peakOf = (pids: readonly number[]): number => Math.max(...pids.map(peakOfOne));

function peakOfOne(pid: number): number {
  const line = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / MEBIBYTE_IN_KIB;
}

export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Not allowed everywhere; the peak is then the one since the start.
  }
}
