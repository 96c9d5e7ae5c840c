import { describe, expect, it } from 'vitest';
import { embedders } from '#src/models/embedding/registry.ts';
import { languageModels } from '#src/models/language/registry.ts';
import { ocrEngines } from '#src/models/ocr/registry.ts';
import { rerankers } from '#src/models/reranking/registry.ts';
import { SINK_TYPES } from '#src/sinks/registry.ts';
import { SOURCE_TYPES } from '#src/sources/registry.ts';

const [matrix = ''] = Object.values(
  import.meta.glob<string>('../../docs/reference/drivers.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

const KINDS = {
  'Data sources': SOURCE_TYPES,
  'Data sinks': SINK_TYPES,
  'Embedding models': Object.keys(embedders),
  'Language models': Object.keys(languageModels),
  Rerankers: Object.keys(rerankers),
  'Optical character recognition': Object.keys(ocrEngines),
};

/** Paths of test files. The files are not loaded. */
const FILES = new Set(Object.keys(import.meta.glob('/test/**/*.ts')).map((path) => path.slice(1)));

const sections = new Map(
  matrix.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

describe.each(Object.entries(KINDS))('%s', (title, kinds) => {
  const section = sections.get(title) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));

  it('lists each driver once and no unknown driver', () => {
    const named = rows.flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
    expect([...new Set(named)].sort()).toEqual([...kinds].sort());
  });

  it('names a suite and proof files that exist', () => {
    const suites = [...section.slice(0, section.indexOf('\n|')).matchAll(/`(test\/[^`]+\.ts)`/g)].map(
      ([, file]) => file,
    );
    const proofs = rows.slice(1).map((row) => /`(test\/[^`]+)` \|$/.exec(row)?.[1]);
    expect(suites).not.toHaveLength(0);
    for (const file of [...suites, ...proofs]) expect(FILES).toContain(file);
  });

  it('describes every proof with a defined grade', () => {
    const grades = [...matrix.slice(0, matrix.indexOf('## ')).matchAll(/^\| (runs|[a-z][a-z -]+) \|/gm)].map(
      ([, grade]) => grade!,
    );
    for (const row of rows.slice(1)) {
      const proof = row.split(' | ')[2]!;
      expect(
        grades.some((grade) => proof.startsWith(grade)),
        row,
      ).toBe(true);
    }
  });
});
