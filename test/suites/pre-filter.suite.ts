import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '#src/ports/index-types.ts';
import type { VectorStore } from '#src/sinks/external/vector-store.ts';
import { runs } from '#test/support/seed.ts';
import { toDirection, toVectorPoint } from './sink/content.ts';
import { drawPreFilters } from './sink/drawn-pre-filters.ts';
import { passes } from './sink/passes.ts';

export interface PreFilterFixture {
  name: string;
  /** Opens the store of an index. The store must not find the points of other indexes. */
  open(indexId: string): VectorStore;
  /** Metadata keys that the settings declare, for stores that can filter by no other key. */
  keys?: readonly string[];
  /** Length in characters of a text that the store cannot filter by. */
  longText?: number;
  /** Least share of the documents that do not match and that the store leaves out, between 0 and 1. */
  leastExcluded?: number;
}

/** Number of cases for every store. A case is one set of documents with 20 to 30 pre-filters. */
const CASES = 12;
const DIMENSION = 8;

/** Writes documents. If they are to be described, the store first gets the metadata of other documents. */
async function fill(store: VectorStore, documents: Metadata[], areDescribed: boolean): Promise<void> {
  await store.ensure(DIMENSION);
  const written = areDescribed ? [...documents.slice(1), documents[0]!] : documents;
  await store.upsert(written.map(toVectorPoint));
  if (!areDescribed) return;
  for (const [at, metadata] of documents.entries())
    await store.describe({ documentId: String(at), title: 'Annual report', metadata });
}

/** Tests that every vector store with pre-filters must pass. */
export function preFilterSuite(fixture: PreFilterFixture): void {
  const { name, open, keys = ['a', 'b'], longText = 9_000, leastExcluded = 0 } = fixture;

  describe(`${name} pre-filter`, () => {
    it('finds every matching document for any metadata', async () => {
      const isFilterable: VectorStore['isFilterable'] = (key, how) => open('index').isFilterable(key, how);
      const { documents, preFilters } = drawPreFilters({ keys, longText, isFilterable });
      let [matching, others, excluded] = [0, 0, 0];
      await fc.assert(
        fc.asyncProperty(documents, preFilters, fc.boolean(), async (held, asked, areDescribed) => {
          const store = open(crypto.randomUUID());
          await fill(store, held, areDescribed);
          for (const preFilter of asked) {
            const found = await store.query(toDirection('x'), 100, { preFilter });
            const ids = new Set(found.map(({ documentId }) => documentId));
            const isMatch = held.map((metadata) => passes(metadata, preFilter));
            const missing = held.flatMap((each, at) => (isMatch[at] && !ids.has(String(at)) ? [each] : []));
            expect(missing, JSON.stringify(preFilter)).toEqual([]);
            matching += isMatch.filter((each) => each).length;
            others += isMatch.filter((each) => !each).length;
            excluded += isMatch.filter((each, at) => !each && !ids.has(String(at))).length;
          }
          await store.drop();
        }),
        { numRuns: runs(CASES) },
      );
      expect(matching).toBeGreaterThan(runs(CASES));
      expect(excluded / others).toBeGreaterThan(leastExcluded);
    });
  });
}
