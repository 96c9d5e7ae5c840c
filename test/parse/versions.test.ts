import { describe, expect, it } from 'vitest';
import { parseVersions, resolveVersion, versionNames } from '#src/parse/versions.ts';

describe('versions of the parser', () => {
  it('are listed from oldest to newest, and the newest is the latest', () => {
    const { latest, fast } = parseVersions();
    expect(fast).toEqual([...fast].sort());
    expect(latest.fast).toBe(fast.at(-1));
    expect(versionNames()).toEqual(['latest', ...fast]);
  });

  it('may be named, also if they are older than the latest', () => {
    for (const version of parseVersions().fast) expect(resolveVersion({ version })).toBe(version);
  });

  it('depend on the day of parsing if the latest version is requested', () => {
    const resolve = (day: string, version?: string) =>
      resolveVersion({ version }, new Date(`${day}T12:00:00Z`));
    expect(resolve('2026-11-27')).toBe('2026-01-01');
    expect(resolve('2026-11-28', 'latest')).toBe('2026-11-28');
    expect(resolve('2025-01-01', 'unknown')).toBe('2026-01-01');
  });
});
