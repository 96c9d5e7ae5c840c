import { readFileSync } from 'node:fs';
import { runtimePids } from '../parsing/memory.ts';

/** Unit of the kernel's processor times in milliseconds. */
const TICK_MS = 10;

/**
 * Returns the processor time that the processes of the runtime have used so far, in milliseconds. NaN without
 * /proc.
 */
export function readProcessorMs(): number {
  const pids = runtimePids();
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((ms, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ms + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}
