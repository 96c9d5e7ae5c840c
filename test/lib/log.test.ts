import { afterEach, expect, it, vi } from 'vitest';
import { createLogger, LOG_LEVELS, type LogLevel } from '#src/lib/log.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.for<[LogLevel, LogLevel[]]>([
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
])('writes levels from %s up: %j', ([lowest, written]) => {
  const lines: string[] = [];
  for (const level of LOG_LEVELS) {
    vi.spyOn(console, level).mockImplementation((line) => lines.push(line));
  }
  const log = createLogger({ requestId: 'r' }, lowest);
  for (const level of LOG_LEVELS) log[level](`a ${level}`, { ms: 1 });
  expect(lines).toEqual(
    written.map((level) => JSON.stringify({ event: `a ${level}`, requestId: 'r', ms: 1 })),
  );
});
