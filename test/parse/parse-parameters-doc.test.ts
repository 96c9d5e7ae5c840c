/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { WITHOUT_EFFECT } from '#src/parse/parameters/without-effect.ts';

const documents = import.meta.glob<string>('../../docs/parse-parameters.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const [table = ''] = Object.values(documents);

const rows = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, name, type, status, effect]) => ({ name: name!, type: type!, status: status!, effect: effect! }),
);

// The pages are framed where they are joined; the stub takes parameters out so that the parser never sees them.
const sources = import.meta.glob<string>(
  [
    '../../src/{parse,parse-file,formats,pdf-output}/**/*.ts',
    '../../src/reading/**/*.ts',
    '../../src/ingest/join-pages.ts',
    '../../src/services/parse-jobs/asked-schema.ts',
    '!**/parameters.ts',
    '!**/client.ts',
    '!**/reading/warnings.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
);

/** Read as a member (`parameters.x`) or taken out by name (`x: y } = parameters`). */
function isRead(name: string): boolean {
  const read = new RegExp(
    `parameters\\??\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = [\\w.#]*parameters\\b`,
  );
  return Object.values(sources).some((source) => read.test(source));
}

const WITH_EFFECT = ['honoured', 'input', 'order', 'output', 'reporting'];

describe('docs/parse-parameters.md', () => {
  it('has the parameters without effect that the service warns of', () => {
    const without = rows.filter(({ status }) => status === 'accepted without effect');
    expect(without.map(({ name }) => name)).toEqual(Object.keys(WITHOUT_EFFECT).toSorted());
  });

  it('has one row for each parameter and no other', () => {
    expect(rows.map((row) => row.name)).toEqual(Object.keys(parseParameters.shape).toSorted());
  });

  it.each(rows)('tells the truth about $name', ({ name, status, effect }) => {
    expect([...WITH_EFFECT, 'accepted without effect', 'needs a configured model']).toContain(status);
    expect(effect.length).toBeGreaterThan(10);
    const isFollowed = status === 'honoured' || status === 'needs a configured model';
    expect(isFollowed, `${name} is ${isRead(name) ? '' : 'not '}read`).toBe(isRead(name));
  });
});
