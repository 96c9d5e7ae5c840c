import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Shard } from '#src/ports/shard.ts';
import { queryShards } from '#src/search/fan-out.ts';
import { chunks, document, freshShards, toDirection } from './shard.ts';

const WORDS: Record<string, string[]> = {
  en: ['running', 'runner', 'houses', 'the', 'of', 'report', 'berlin', 'gift'],
  de: ['häuser', 'gelaufen', 'der', 'die', 'bericht', 'berlin', 'gift'],
  ru: ['дома', 'отчёт', 'бежать', 'и', 'берлин', 'gift'],
  zh: ['报告', '房子', '柏林', '跑步', 'gift'],
};
const languages = Object.keys(WORDS);

const textIn = (language: string, words: { minLength: number; maxLength: number }) =>
  fc.array(fc.constantFrom(...WORDS[language]!), words).map((each) => each.join(' '));

const aDocument = fc.constantFrom(...languages).chain((language) =>
  fc.record({
    language: fc.constant(language),
    title: textIn(language, { minLength: 0, maxLength: 2 }),
    texts: fc.array(textIn(language, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 5 }),
  }),
);

async function fill(shard: Shard, of: IndexedDocument, staged: IndexedChunk[]): Promise<void> {
  await shard.stage(of, staged, staged.length);
}

test('the results of a query do not depend on the number of shards', async () => {
  const documents = fc.sample(aDocument, { numRuns: 90, seed: 11 });
  const one = freshShards(1);
  const three = freshShards(3);
  for (const [i, { title, texts, language }] of documents.entries()) {
    const of = document(`doc ${i}`, 1, { title });
    const staged = chunks(of.documentId, 1, texts).map((chunk) => ({ ...chunk, language }));
    await fill(one[0]!, of, staged);
    await fill(three[i % 3]!, of, staged);
  }
  const queries = fc.sample(
    fc.array(fc.constantFrom(...languages.flatMap((language) => WORDS[language]!)), {
      minLength: 1,
      maxLength: 6,
    }),
    { numRuns: 60, seed: 13 },
  );
  let found = 0;
  for (const words of queries) {
    const text = words.join(' ');
    const query = { text, vector: toDirection(text), denseTopK: 20, sparseTopK: 20 };
    const alone = await queryShards(one, query);
    const { dense, sparse } = await queryShards(three, query);
    expect({ dense, sparse }).toEqual({ dense: alone.dense, sparse: alone.sparse });
    found += sparse.length;
  }
  expect(found).toBeGreaterThan(300);
});
