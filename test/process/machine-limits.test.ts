import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KernelFiles, measureMachine } from '#scripts/machine-limits/measure.ts';
import { CLOUDFLARE_LIMITS, MACHINE_LIMITS } from '#src/services/operating/platform-limits/registry.ts';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'sluice-limits-'));
  mkdirSync(join(state, 'v3', 'd1'), { recursive: true });
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const kernelWith = (files: Record<string, string>, folders: Record<string, string[]> = {}): KernelFiles => ({
  read: (path) => files[path],
  list: (path) => folders[path],
});

it('are described in the reference, with their values and sources', () => {
  const page = readFileSync('docs/reference/platform-limits.md', 'utf8');
  for (const [name, { source }] of Object.entries({ ...CLOUDFLARE_LIMITS, ...MACHINE_LIMITS })) {
    expect(page, name).toContain(`| \`${name}\` |`);
    if (source.startsWith('https:')) expect(page, name).toContain(`<${source}>`);
  }
});

describe('the limits of a machine', () => {
  it('include the largest database with its log, and the disk of the state folder', () => {
    writeFileSync(join(state, 'v3', 'd1', 'small.sqlite'), 'x'.repeat(10));
    writeFileSync(join(state, 'v3', 'd1', 'large.sqlite'), 'x'.repeat(20));
    writeFileSync(join(state, 'v3', 'd1', 'large.sqlite-wal'), 'x'.repeat(5));
    const measured = measureMachine(state);
    expect(Object.keys(measured)).toEqual(Object.keys(MACHINE_LIMITS));
    expect(measured.sqlite_size).toEqual([{ used: 25, part: join('v3', 'd1', 'large.sqlite') }]);
    expect(measured.compaction_space).toMatchObject([{ used: 25 }]);
    const [disk] = measured.disk_space;
    expect(disk!.used).toBeGreaterThan(0);
    expect(disk!.value).toBeGreaterThan(disk!.used);
    expect(measured.memory[0]!.value).toBeGreaterThan(measured.memory[0]!.used);
  });

  it('include the memory of a container and the open files of each process', () => {
    const kernel = kernelWith(
      {
        '/proc/meminfo': 'MemTotal:       8000 kB\nMemFree: 1 kB\nMemAvailable:   2000 kB\n',
        '/sys/fs/cgroup/memory.max': '4096000\n',
        '/sys/fs/cgroup/memory.current': '3000000\n',
        '/sys/fs/cgroup/memory.stat': 'anon 1\ninactive_file 500000\n',
        '/proc/7/limits':
          'Limit  Soft Limit  Hard Limit\nMax open files            1024                 4096 files\n',
      },
      { [join(state, 'processes')]: ['7', '8'], '/proc/7/fd': ['0', '1', '2'] },
    );
    const measured = measureMachine(state, kernel);
    expect(measured.memory).toEqual([
      { used: 6_000 * 1_024, value: 8_000 * 1_024, part: 'the machine' },
      { used: 2_500_000, value: 4_096_000, part: 'the container' },
    ]);
    // Process 8 has ended.
    expect(measured.file_handles).toEqual([{ used: 3, value: 1_024, part: 'process 7' }]);
  });

  it('do not include a container without a limit', () => {
    const kernel = kernelWith({
      '/sys/fs/cgroup/memory.max': 'max\n',
      '/sys/fs/cgroup/memory.current': '1\n',
    });
    expect(measureMachine(state, kernel).memory.map(({ part }) => part)).toEqual(['the machine']);
  });
});
