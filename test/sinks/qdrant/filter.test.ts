import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { FilterOperator, Metadata } from '#src/ports/index-types.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { buildPreFilter } from '#src/sinks/external/pre-filter.ts';
import { encodeMetadata, isFilterable } from '#src/sinks/qdrant/filter.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { drawnFilters, drawnMetadata } from '#test/suites/sink/drawn.ts';
import { passes } from '#test/suites/sink/passes.ts';
import { runs } from '#test/support/seed.ts';
import { useVendors } from '#test/vendors/client.ts';

describe('encodeMetadata', () => {
  it.each<[string, Metadata, string[]]>([
    ['nothing', { a: null, b: [] }, []],
    ['scalars', { a: 'x', b: 5, c: 5.5, d: true }, ['["a","x"]', '["b",5]', '["c",5.5]', '["d","true"]']],
    ['a list', { a: ['x', 'y', 'x'] }, ['["a","x"]', '["a","y"]']],
    ['what is never mixed', { a: ['5', 'b'], 'a","b': '5' }, ['["a","5"]', '["a","b"]', '["a\\",\\"b","5"]']],
    ['what is no text', { a: '\ud800' }, ['["a","\\ud800"]']],
  ])('%s', (_, metadata, words) => {
    expect(encodeMetadata(metadata)).toEqual(words);
  });

  it('truncates long values to well-formed text', () => {
    const [word] = encodeMetadata({ a: '\u{1f600}'.repeat(1_000) });
    expect(word!.length).toBe(200);
    expect(word!.isWellFormed()).toBe(true);
  });
});

/** Operators that pre-filters support, and others that they do not. */
const TOLD: FilterOperator[] = ['==', 'in', 'any', 'all', '!='];

describe('Qdrant pre-filter', () => {
  const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });
  const store = (indexId: string) =>
    createQdrantStore(
      qdrant.settings.parse({
        ...{
          api_key: 'key-of-the-vendor',
          collection_name: 'c',
          url: 'https://vectors.test',
          max_retries: 0,
        },
      }),
      {
        fetch,
        log: createLogger(),
        settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
        indexId,
      },
    );

  it('finds every matching document', async () => {
    const documents = fc.array(drawnMetadata, { minLength: 4, maxLength: 12 });
    const asked = fc.array(drawnFilters(TOLD, true), { minLength: 40, maxLength: 60 });
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(documents, asked, async (held, all) => {
        const indexId = crypto.randomUUID();
        const index = store(indexId);
        await index.ensure(8);
        for (const [i, metadata] of held.entries()) {
          const of = document(String(i), 1, { metadata });
          await index.upsert(await toPoints(indexId, of, chunks(of.documentId, 1, ['text'])));
        }
        const preFilters = all.flatMap((filters) => buildPreFilter(filters, isFilterable) ?? []);
        await Promise.all(
          preFilters.map(async (preFilter) => {
            const passing = held.flatMap((metadata, i) => (passes(metadata, preFilter) ? String(i) : []));
            const found = await index.query(toDirection('x'), 100, { preFilter });
            const ids = found.map(({ documentId }) => documentId);
            expect(ids, JSON.stringify(preFilter)).toEqual(expect.arrayContaining(passing));
            kept += held.length - ids.length;
          }),
        );
      }),
      { numRuns: runs(8) },
    );
    expect(kept).toBeGreaterThan(0);
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ method, status }) => method === 'POST' && status !== 200)).toEqual([]);
  });
});
