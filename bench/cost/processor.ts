import { readFileSync } from 'node:fs';
import { runtimePids } from '../parsing/memory.ts';

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds of processor time that the runtime's processes have taken so far; NaN without /proc. */
export function processorMs(): number {
  const pids = runtimePids();
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((ms, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ms + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}
