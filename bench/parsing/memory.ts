import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const MEBIBYTE_IN_KIB = 1024;

/**
 * Returns the processes of the runtime among the descendants of this process. Returns an empty list without
 * /proc.
 */
export function runtimePids(parent = process.pid): number[] {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    const children = processes.filter((pid) => readParent(pid) === parent);
    return children.flatMap((pid) => (readName(pid) === 'workerd' ? [pid] : runtimePids(pid)));
  } catch {
    return [];
  }
}

const readStat = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
};
const readName = (pid: number) => /\((.*)\)/.exec(readStat(pid))?.[1];
const readParent = (pid: number) => Number(/\) \S (\d+)/.exec(readStat(pid))?.[1]);

/** Linux counts processor time in hundredths of a second. */
const MILLISECONDS_PER_TICK = 10;

/** Returns the processor time that processes have spent in user mode, in milliseconds. */
export function sumUserTime(pids: readonly number[]): number {
  // The 14th field of the file. The name of the program is the second one and may contain spaces.
  const ticks = pids.map((pid) => Number(readStat(pid).split(') ')[1]?.split(' ')[11] ?? 0));
  return ticks.reduce((sum, each) => sum + each, 0) * MILLISECONDS_PER_TICK;
}

/** Returns the peak memory of the largest process since `resetPeak`, in MiB. */
export const readPeak = (pids: readonly number[]): number => Math.max(...pids.map(readProcessPeak));

function readProcessPeak(pid: number): number {
  const line = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / MEBIBYTE_IN_KIB;
}

export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Resetting is not allowed on every system. The peak is then measured from the start of the process.
  }
}
