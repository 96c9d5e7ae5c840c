import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitModules } from '#test/support/limit-snapshots.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'modules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function createModule(name: string, megabytes: number) {
  const tmp = join(folder, name);
  writeFileSync(tmp, '');
  truncateSync(tmp, megabytes * 1_000_000);
  return { cached: true, tmp };
}
const limit = (modules: object) => limitModules({ t: 's', i: 'a', r: modules });

it('leaves out modules beyond 16 MB of code, of which the same file counts once', () => {
  const [large, other, small] = [
    createModule('large', 9),
    createModule('other', 8),
    createModule('small', 6),
  ];
  const external = { externalize: 'node:fs' };
  const modules = { '/large': large, '/src/large': large, '/other': other, '/small': small, external };
  expect(limit(modules)).toEqual({
    ...{ t: 's', i: 'a' },
    r: { '/large': large, '/src/large': large, '/small': small, external },
  });
});

it('returns messages of other kinds as they are', () => {
  const messages = [{ type: 'start' }, { t: 's', i: 'a', r: 'text' }, { t: 's', i: 'a', r: [1] }];
  for (const message of [...messages, { t: 's', i: 'a', r: createModule('only', 20) }])
    expect(limitModules(message)).toBe(message);
});
