import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches } from '../../src/search/filters.ts';
import type { Filter, FilterOperator, Filters, Metadata } from '../../src/search/types.ts';
import { runs } from '../support/seed.ts';
import { directionOf, document, freshShard, put } from './shard.ts';

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
const KEYS = ['a', 'b', `it's "odd"`, ''];

/** Object calls carry plain objects only. */
function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const text = fc.constantFrom('', 'x', 'X', 'xy', 'true', '5', '\u{ff5e}', '\u{1f600}', 'Äx', 'äX');
const number = fc.constantFrom(-1, 0, 5, 5.5, 2 ** 40);
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

test('a shard keeps exactly the documents that the evaluator keeps', async () => {
  const shard = freshShard();
  const documents = fc
    .sample(metadata, { numRuns: 60, seed: 7 })
    .map((each, i) => document(`doc ${i}`, 1, { metadata: each }));
  for (const each of documents) await put(shard, each, ['text']);
  const vector = directionOf('text');
  await fc.assert(
    fc.asyncProperty(filters, async (asked) => {
      const answer = await shard.query({ vector, denseTopK: 100, sparseTopK: 0, filters: asked });
      const found = answer.dense.map((hit) => hit.documentId).sort();
      const expected = documents
        .filter((each) => matches(each.metadata, asked))
        .map((each) => each.documentId);
      expect(found).toEqual(expected.sort());
    }),
    { numRuns: runs(400) },
  );
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
