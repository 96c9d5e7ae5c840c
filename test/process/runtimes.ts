import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Service } from './service.ts';

export interface Runtime {
  pid: number;
  /** Resident memory in MiB. */
  memory: number;
  command: string;
  /** `service`, `parser 0`, … */
  name: string;
}

/** The workerd processes of a service that was started by `npm start`. */
export function runtimesOf(service: Service): Runtime[] {
  const table = execFileSync('ps', ['-A', '-ww', '-o', 'pgid=,pid=,rss=,args='], { encoding: 'utf8' });
  return table
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((row) => row !== null)
    .filter(([, group, , , command]) => Number(group) === service.group && command!.includes('workerd serve'))
    .map(([, , pid, memory, command]) => ({
      pid: Number(pid),
      memory: Number(memory) / 1024,
      command: command!,
      name: processName(Number(pid)),
    }));
}

/** The process that runs the service itself. */
export function serviceRuntime(service: Service): Runtime {
  const runtime = runtimesOf(service).find(({ name }) => name === 'service');
  if (!runtime) throw new Error('the service has no process');
  return runtime;
}

/** Resident memory of everything that `npm start` runs, in MiB. */
export function totalMemory(service: Service): number {
  const table = execFileSync('ps', ['-A', '-o', 'pgid=,rss='], { encoding: 'utf8' });
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return rows.filter(([group]) => group === service.group).reduce((sum, [, rss]) => sum + rss! / 1024, 0);
}

function processName(pid: number): string {
  try {
    return /(?:^|\0)SLUICE_PROCESS=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
  } catch {
    // It has just ended.
    return '';
  }
}
