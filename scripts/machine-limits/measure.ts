import { existsSync, globSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import type { LimitUse } from '#src/services/operating/platform-limits/limit.ts';
import type { MachineLimitName } from '#src/services/operating/platform-limits/registry.ts';
import { PROCESS_FOLDER } from '../local-state/leftover-processes.ts';

/** Access to the files in which Linux reports its limits. Tests pass other files. */
export interface KernelFiles {
  /** Returns the text of a file, or `undefined` if the file does not exist or cannot be read. */
  read(path: string): string | undefined;
  /** Returns the names in a folder, or `undefined` if it does not exist or cannot be read. */
  list(path: string): string[] | undefined;
}

const orUndefined = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

export const LINUX_FILES: KernelFiles = {
  read: (path) => orUndefined(() => readFileSync(path, 'utf8')),
  list: (path) => orUndefined(() => readdirSync(path)),
};

/**
 * Measures the limits of the machine that holds a state folder. A limit that this operating system does not
 * report has no uses.
 */
export function measureMachine(
  state: string,
  kernel: KernelFiles = LINUX_FILES,
): Record<MachineLimitName, LimitUse[]> {
  const { blocks, bfree, bavail, bsize } = statfsSync(state);
  const free = bavail * bsize;
  const taken = (blocks - bfree) * bsize;
  const largest = findLargestDatabase(state);
  return {
    disk_space: [{ used: taken, value: taken + free }],
    compaction_space: largest ? [{ used: largest.bytes, value: Math.max(1, free), part: largest.name }] : [],
    sqlite_size: largest ? [{ used: largest.bytes, part: largest.name }] : [],
    memory: measureMemory(kernel),
    file_handles: measureFileHandles(state, kernel),
  };
}

function findLargestDatabase(state: string): { name: string; bytes: number } | undefined {
  const files = globSync('v3/**/*.sqlite', { cwd: state });
  const sizes = files.map((name) => ({ name, bytes: sizeWithLog(join(state, name)) }));
  return sizes.toSorted((a, b) => b.bytes - a.bytes)[0];
}

const sizeWithLog = (file: string) => sizeOfFile(file) + sizeOfFile(`${file}-wal`);
const sizeOfFile = (file: string) => (existsSync(file) ? statSync(file).size : 0);

/** Measures the memory of the machine, and of the container if it has a limit. */
function measureMemory(kernel: KernelFiles): LimitUse[] {
  const info = kernel.read('/proc/meminfo');
  const readKib = (name: string) => {
    const kib = info && new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(info)?.[1];
    return kib ? Number(kib) * 1_024 : undefined;
  };
  const total = readKib('MemTotal') ?? totalmem();
  const available = readKib('MemAvailable') ?? freemem();
  const machine = { used: total - available, value: total, part: 'the machine' };
  const limit = Number(kernel.read('/sys/fs/cgroup/memory.max'));
  const current = Number(kernel.read('/sys/fs/cgroup/memory.current'));
  // Without a limit the file contains the word "max".
  if (!Number.isFinite(limit) || !Number.isFinite(current) || limit >= total) return [machine];
  const cache = Number(
    /^inactive_file (\d+)/m.exec(kernel.read('/sys/fs/cgroup/memory.stat') ?? '')?.[1] ?? 0,
  );
  return [machine, { used: current - cache, value: limit, part: 'the container' }];
}

/** Counts the open files of each process of the state folder. */
function measureFileHandles(state: string, kernel: KernelFiles): LimitUse[] {
  const pids = kernel.list(join(state, PROCESS_FOLDER)) ?? [];
  return pids.flatMap((pid) => {
    const open = kernel.list(`/proc/${pid}/fd`);
    const limit = /^Max open files\s+(\d+)/m.exec(kernel.read(`/proc/${pid}/limits`) ?? '')?.[1];
    return open && limit ? [{ used: open.length, value: Number(limit), part: `process ${pid}` }] : [];
  });
}
