import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Filter, Filters, Metadata } from '#src/ports/index-types.ts';
import { matches } from '#src/search/filters.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { buildPreFilter } from '#src/sinks/external/pre-filter.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { runs } from '#test/support/seed.ts';
import { useVendors } from '#test/vendors/client.ts';

const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const open = (indexId: string) =>
  new PineconeStore(pinecone.settings.parse({ api_key: 'key-of-the-vendor', index_name: 'i' }), {
    ...deps,
    indexId,
  });

const text = fc.oneof(
  fc.constantFrom('', 'x', 'true', 'false', '5', `it's "odd"`, '{"$ne": null}', '$eq', '\ud800', 'ü\u0000'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const number = fc.constantFrom(-1, 0, 1, 5, 5.5, 2 ** 53, 1e-7);
const list = fc.oneof(fc.array(text, { maxLength: 3 }), fc.array(fc.oneof(text, number), { maxLength: 3 }));
const key = fc.constantFrom('a', 'b', 'a b', '$eq', 'x.y', '__proto__', 'sluice_index', 'ü');
const value = fc.oneof(text, number, list, fc.boolean(), fc.constant(null), fc.constant('w'.repeat(9_000)));
const metadata = fc
  .array(fc.tuple(key, value), { maxLength: 4 })
  .map((members) => Object.fromEntries(members) as Metadata);
const leaf: fc.Arbitrary<Filter> = fc.record({
  key,
  operator: fc.constantFrom('==', 'in', 'any', 'all', '>', '>=', '<', '<=', '!=', 'contains'),
  value: fc.oneof(text, number, list),
});
const { filters } = fc.letrec<{ filters: Filters; part: Filter | Filters }>((tie) => ({
  filters: fc.record({
    condition: fc.constantFrom('and', 'or', 'not'),
    filters: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
  }),
  part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('filters')),
}));

describe('Pinecone pre-filter', () => {
  useVendors({ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' });
  const near = toDirection('x');

  it('passes everything that the filter passes for any metadata', async () => {
    const drawn = [
      fc.array(metadata, { minLength: 5, maxLength: 12 }),
      fc.array(filters, { minLength: 20, maxLength: 30 }),
      fc.boolean(),
    ] as const;
    let narrowed = 0;
    await fc.assert(
      fc.asyncProperty(...drawn, async (documents, asked, areDescribed) => {
        const indexId = crypto.randomUUID();
        const store = open(indexId);
        for (const [i, each] of documents.entries()) {
          const before = areDescribed ? documents[(i + 1) % documents.length]! : each;
          const of = document(`${i}`, 1, { metadata: before });
          await store.upsert(await toPoints(indexId, of, chunks(`${i}`, 1, ['x'])));
          if (areDescribed) await store.describe({ documentId: `${i}`, title: 't', metadata: each });
        }
        for (const filter of asked) {
          const preFilter = buildPreFilter(filter, store.isFilterable);
          if (!preFilter) continue;
          const found = await store.query(near, 100, { preFilter });
          const ids = new Set(found.map(({ documentId }) => documentId));
          const expected = documents.flatMap((each, i) => (matches(each, filter) ? [`${i}`] : []));
          expect(ids).toEqual(new Set([...ids, ...expected]));
          if (ids.size < documents.length) narrowed += 1;
        }
      }),
      { numRuns: runs(12) },
    );
    expect(narrowed).toBeGreaterThan(0);
  });
});
