import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMatchingVersions } from '#objects/search-shard/postings/filter-rows.ts';
import type { Filter, FilterOperator, Filters, Metadata } from '#src/ports/index-types.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';
import { runs } from '#test/support/seed.ts';
import { chunks, document, freshShard, put, toDirection } from './shard.ts';

const OPERATORS: FilterOperator[] = [
  '==',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  'in',
  'nin',
  'any',
  'all',
  'contains',
  'text_match',
  'text_match_insensitive',
  'is_empty',
];
const KEYS = ['a', 'b', `it's "odd"`, '', 'page_label', 'end_page_index', 'member_path'];

/** Calls to a Durable Object can pass plain objects only. */
function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const text = fc.constantFrom(
  '',
  'x',
  'X',
  'xy',
  'true',
  '5',
  '\u{ff5e}',
  '\u{1f600}',
  'Äx',
  'äX',
  '\u{212a}X',
  'k',
  '\0Ä',
  'ΑΣ',
);
const number = fc.constantFrom(-1, 0, 1, 2, 5, 5.5, 2 ** 40);
const scalar = fc.oneof(text, number);
const list = fc.array(scalar, { maxLength: 3 });
const metadata: fc.Arbitrary<Metadata> = fc.dictionary(
  fc.constantFrom(...KEYS),
  fc.oneof(scalar, fc.boolean(), fc.constant(null), list),
  { noNullPrototype: true },
);
const leaf: fc.Arbitrary<Filter> = plain({
  key: fc.constantFrom(...KEYS),
  operator: fc.constantFrom(...OPERATORS),
  value: fc.oneof(scalar, list, fc.constant(null)),
});
const { filters } = fc.letrec<{ filters: Filters; part: Filter | Filters }>((tie) => ({
  filters: plain({
    condition: fc.constantFrom('and', 'or', 'not'),
    filters: fc.array(tie('part'), { maxLength: 4 }),
  }),
  part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('filters')),
}));

/** Page and file properties of the chunks, including chunks without any. */
const PAGES = [
  {},
  { startPage: 0, endPage: 0 },
  { startPage: 0, endPage: 1 },
  { startPage: 1 },
  { startPage: 2, member: 'x' },
  { startPage: 2, member: 'Äx' },
];

test('a filtered query returns exactly the chunks that the reference evaluator matches', async () => {
  const shard = freshShard();
  const documents = fc
    .sample(metadata, { numRuns: 60, seed: 7 })
    .map((each, i) => document(`doc ${i}`, 1, { metadata: each }));
  const all: { id: string; metadata: Metadata }[] = [];
  for (const [i, each] of documents.entries()) {
    const texts = ['a', 'b', 'c'].slice(0, 1 + (i % 3));
    const staged = chunks(each.documentId, 1, texts).map((chunk) => ({
      ...chunk,
      ...PAGES[(i + chunk.position) % PAGES.length],
    }));
    await shard.stage(each, staged, staged.length);
    for (const chunk of staged)
      all.push({ id: chunk.id, metadata: { ...each.metadata, ...pageMetadata(chunk) } });
  }
  const vector = toDirection('text');
  await fc.assert(
    fc.asyncProperty(filters, async (asked) => {
      const answer = await shard.query({ vector, denseTopK: 200, sparseTopK: 0, filters: asked });
      const expected = all.filter((each) => matches(each.metadata, asked)).map(({ id }) => id);
      expect(answer.dense.map((hit) => hit.id).sort()).toEqual(expected.sort());
    }),
    { numRuns: runs(400) },
  );
});

test('case-insensitive filters fold case as the reference evaluator does, in any script', async () => {
  const shard = freshShard();
  const values = [
    'Straße İstanbul',
    'ΟΔΟΣ ΑΣΑ',
    'Отчёт № 7',
    '\u{212a}elvin * [x]',
    'ÅNGSTRÖM ẞ',
    'Ǆ ǅ',
    'a\0ÄB',
    '𐐀 Ⴀ Ა',
  ];
  const metadata = (name: string): Metadata => ({ name });
  for (const [i, each] of values.entries())
    await put(shard, document(`doc ${i}`, 1, { metadata: metadata(each) }), ['x']);
  const parts = values.flatMap((each) => {
    const chars = [...each];
    const pieces = chars.flatMap((_, i) => [chars.slice(i), chars.slice(i, i + 1), chars.slice(i, i + 3)]);
    return pieces.flatMap((piece) => [
      piece.join(''),
      piece.join('').toUpperCase(),
      piece.join('').toLowerCase(),
    ]);
  });
  await runInDurableObject(shard, (_, { storage: { sql } }) => {
    for (const value of new Set(parts)) {
      const asked: Filters = {
        condition: 'and',
        filters: [{ key: 'name', operator: 'text_match_insensitive', value }],
      };
      const expected = values.flatMap((each, i) => (matches(metadata(each), asked) ? [i + 1] : []));
      expect([value, findMatchingVersions(sql, asked, 'published')]).toEqual([value, expected]);
    }
  });
});

test('text filters read only the rows that match', async () => {
  const shard = freshShard();
  await put(shard, document('a', 1, { metadata: { name: 'Annual Report' } }), ['text']);
  await runInDurableObject(shard, (_, { storage: { sql } }) => {
    sql.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO filter_value SELECT 'name', 'other ' || i, 1000 + i FROM n`);
    let read = 0;
    const counting = {
      exec: (query: string, ...bound: string[]) => {
        const rows = sql.exec(query, ...bound).toArray();
        read += rows.length;
        return Object.assign(rows, { one: () => rows[0] });
      },
    } as unknown as SqlStorage;
    const asked: [FilterOperator, Filter['value']][] = [
      ['text_match', 'Rep'],
      ['text_match_insensitive', 'REP'],
      ['contains', ['Rep', 'Ann']],
    ];
    for (const [operator, value] of asked) {
      const where: Filters = { condition: 'and', filters: [{ key: 'name', operator, value }] };
      expect(findMatchingVersions(counting, where, 'published')).toHaveLength(1);
    }
    expect(read).toBe(asked.length);
  });
});

test('filters of any size and depth work', async () => {
  const shard = freshShard();
  for (let i = 0; i < 5; i++) await put(shard, document(`doc ${i}`, 1, { metadata: { i } }), ['text']);
  const many: Filters = {
    condition: 'or',
    filters: Array.from({ length: 200 }, (_, i) => ({ key: 'i', operator: '==', value: i + 3 })),
  };
  let deep: Filters = many;
  for (let i = 0; i < 100; i++) deep = { condition: 'not', filters: [deep] };
  for (const asked of [many, deep]) {
    const { chunks } = await shard.query({ text: 'text', denseTopK: 0, sparseTopK: 9, filters: asked });
    expect(chunks.map((chunk) => chunk.documentId).sort()).toEqual(['doc 3', 'doc 4']);
  }
});
