import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Service } from './service.ts';

export interface Runtime {
  pid: number;
  /** Resident memory in MiB. */
  memory: number;
  command: string;
  /** Name of the process, such as `service` or `parser 0`. */
  name: string;
}

/** Returns the workerd processes of a service started with `npm start`. */
export function listRuntimes(service: Service): Runtime[] {
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
  const runtime = listRuntimes(service).find(({ name }) => name === 'service');
  if (!runtime) throw new Error('the service has no process');
  return runtime;
}

/** Resident memory of everything that `npm start` runs, in MiB. */
export const totalMemory = (service: Service): number =>
  Object.values(memoryByProcess(service)).reduce((sum, memory) => sum + memory, 0);

/** Resident memory in MiB of each process that `npm start` runs: `supervisor`, `service`, `parser 0`, … */
export function memoryByProcess(service: Service): Record<string, number> {
  return sumByProcess(service, (_pid, resident) => resident);
}

/**
 * Proportional set size in MiB of each process that `npm start` runs: a page that several processes share counts for
 * each with its part. Reads /proc, so it works on Linux only.
 */
export function proportionalMemoryByProcess(service: Service): Record<string, number> {
  return sumByProcess(service, (pid) => {
    try {
      return Number(/^Pss:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has just ended.
      return 0;
    }
  });
}

/** Adds the memory of all processes by name. `measure` takes a process id and its resident memory in KiB, and returns KiB. */
function sumByProcess(
  service: Service,
  measure: (pid: number, resident: number) => number,
): Record<string, number> {
  const table = execFileSync('ps', ['-A', '-o', 'pgid=,pid=,rss='], { encoding: 'utf8' });
  const sums: Record<string, number> = {};
  for (const line of table.split('\n')) {
    const [group, pid, rss] = line.trim().split(/\s+/).map(Number);
    if (group !== service.group) continue;
    const name = pid === group ? 'supervisor' : processName(pid!) || 'other';
    sums[name] = (sums[name] ?? 0) + measure(pid!, rss!) / 1024;
  }
  return sums;
}

function processName(pid: number): string {
  try {
    return /(?:^|\0)SLUICE_PROCESS=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
  } catch {
    // The process has just ended.
    return '';
  }
}

/** TCP ports that the server and its processes listen on. Reads /proc, so it works on Linux only. */
export function listPorts(service: Service): { address: string; port: number }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pgid=,pid='], { encoding: 'utf8' });
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const pids = rows.filter(([group]) => group === service.group).map(([, pid]) => pid!);
  const sockets = new Set(pids.flatMap(listSockets));
  const LISTENING = '0A';
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode!))
      .map(([, local]) => {
        const [address, port] = local!.split(':');
        return { address: readableAddress(address!), port: Number.parseInt(port!, 16) };
      }),
  );
}

/** Inodes of the sockets that a process has open. */
function listSockets(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((descriptor) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${descriptor}`))?.[1];
      return inode ? [inode] : [];
    });
  } catch {
    // The process or descriptor has just disappeared.
    return [];
  }
}

/** Converts an IPv4 address from hexadecimal digits with the lowest byte first. */
function readableAddress(hex: string): string {
  if (hex.length !== 8) return hex;
  return hex
    .match(/../g)!
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
