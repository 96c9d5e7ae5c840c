import { execFileSync } from 'node:child_process';
import type { Service } from './service.ts';

interface Runtime {
  pid: number;
  /** Resident memory, MiB. */
  memory: number;
  command: string;
}

/** The runtime's processes of a service: the one at its port, and the one that does the work. */
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
    }));
}
