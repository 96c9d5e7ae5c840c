import { describe, expect, test } from 'vitest';
import type { Filters } from '#src/ports/index-types.ts';
import { chunks, document, toDirection } from './content.ts';
import { put, type SinkFixture } from './fixture.ts';

/** Tests that filters use the metadata of single chunks in place of the metadata of their documents. */
export function chunkMetadataRules({ fresh, preFilter, capabilities }: SinkFixture) {
  if (!capabilities.filters.operators.includes('==')) return;

  const openings = [
    ['the documents that pass are few', fresh],
    ['the store is told what passes in its own terms', preFilter],
  ] as const;
  describe('filters by the metadata of single chunks', () => {
    for (const [when, opened] of openings) {
      if (!opened) continue;
      test(`where ${when}`, async () => {
        const sink = opened()();
        const texts = ['north', 'north walrus'];
        await put(sink, document('a', 1, { metadata: { kind: 'letter', year: 2020 } }), texts);
        await put(sink, document('b', 1, { metadata: { kind: 'memo', year: 2021 } }), ['north seal']);
        const [first] = chunks('a', 1, texts);
        const own = { kind: 'memo', tags: ['new', 7], flag: true };
        const chunkMetadata = [{ documentId: 'a', chunks: { [first!.hash]: own } }];
        const find = async (key: string, value: string | number, condition: 'and' | 'not' = 'and') => {
          const filters: Filters = { condition, filters: [{ key, operator: '==', value }] };
          const query = { vector: toDirection('north'), text: 'north', denseTopK: 9, sparseTopK: 9 };
          const { dense, sparse } = await sink.query({ ...query, filters, chunkMetadata });
          const ids = dense.map(({ id }) => id).sort();
          if (capabilities.sparse === 'native') expect(sparse.map(({ id }) => id).sort()).toEqual(ids);
          return ids;
        };
        expect(await find('kind', 'memo')).toEqual(['a/1/0', 'b/1/0']);
        expect(await find('kind', 'letter')).toEqual(['a/1/1']);
        expect(await find('kind', 'letter', 'not')).toEqual(['a/1/0', 'b/1/0']);
        expect(await find('tags', 7)).toEqual(['a/1/0']);
        expect(await find('flag', 'true')).toEqual(['a/1/0']);
        expect(await find('year', 2020)).toEqual(['a/1/0', 'a/1/1']);
      });
    }
  });
}
