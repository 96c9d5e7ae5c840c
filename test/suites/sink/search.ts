import { describe, expect, test } from 'vitest';
import type { SearchHit } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { chunks, document, toDirection } from './content.ts';
import { nearest, put, type SinkFixture, write } from './fixture.ts';

const listHitIds = (hits: SearchHit[]) => hits.map(({ id }) => id);

/** Tests search results and their order. */
export function searchRules({ fresh, capabilities }: SinkFixture) {
  const hasSparse = capabilities.sparse === 'native';

  async function withTexts(count: number): Promise<Sink> {
    const sink = fresh()();
    const texts = Array.from({ length: count }, (_, i) => `walrus number${i} ${'filler '.repeat(i % 7)}`);
    for (let i = 0; i < count; i += 30) await put(sink, document(`doc ${i}`), texts.slice(i, i + 30));
    return sink;
  }

  describe('dense search', () => {
    test('returns the nearest first with cosine similarity, and ties by id', async () => {
      const sink = fresh()();
      await put(sink, document('b'), ['north', 'south']);
      await put(sink, document('a'), ['north', 'west']);
      const { dense, chunks, sparse } = await nearest(sink, 'north');
      expect(listHitIds(dense).slice(0, 2)).toEqual(['a/1/0', 'b/1/0']);
      expect(sparse).toEqual([]);
      for (const hit of dense) {
        const { text, documentId } = chunks.find(({ id }) => id === hit.id)!;
        const [one, other] = [toDirection('north'), toDirection(text)];
        const cosine = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
        expect(hit.score).toBeCloseTo(cosine, 4);
        expect(hit.documentId).toBe(documentId);
      }
      const scores = dense.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    });

    test.each([1, 2, 10, 50, 99, 100])('returns the best %i', async (k) => {
      const sink = await withTexts(120);
      const hundred = listHitIds((await nearest(sink, 'somewhere', 100)).dense);
      expect(new Set(hundred).size).toBe(100);
      const { dense, chunks } = await nearest(sink, 'somewhere', k);
      expect(listHitIds(dense)).toEqual(hundred.slice(0, k));
      expect(chunks.map(({ id }) => id).sort()).toEqual(listHitIds(dense).sort());
    });
  });

  test('does not find disabled chunks, whose places others take', async () => {
    const sink = fresh()();
    const near = ['north', 'north walrus', 'west walrus', 'south walrus'];
    await put(sink, document('a'), near);
    await put(sink, document('b'), ['north']);
    const [first] = chunks('a', 1, near);
    const query = { text: 'walrus north', vector: toDirection('north'), denseTopK: 2, sparseTopK: 10 };
    const before = await sink.query(query);
    expect(listHitIds(before.dense)).toContain('a/1/0');
    const disabled = [{ documentId: 'a', hashes: [first!.hash] }];
    const after = await sink.query({ ...query, disabled });
    expect(after.dense.length).toBe(2);
    for (const hits of [after.dense, after.sparse]) expect(listHitIds(hits)).not.toContain('a/1/0');
    // The same text of another document is still found.
    expect(listHitIds(after.dense)).toContain('b/1/0');
  });

  test('empty index and empty query return nothing', async () => {
    const open = fresh();
    const nothing = { dense: [], sparse: [], chunks: [] };
    await open().ensure(8);
    const both = { text: 'walrus', vector: toDirection('walrus') };
    expect(await open().query({ ...both, denseTopK: 5, sparseTopK: 5 })).toMatchObject(nothing);
    await put(open(), document('a'), ['walrus']);
    expect(await open().query({ denseTopK: 5, sparseTopK: 5 })).toMatchObject(nothing);
    expect(await open().query({ ...both, denseTopK: 0, sparseTopK: 0 })).toMatchObject(nothing);
  });

  if (!hasSparse) {
    test('returns no sparse results without keyword search', async () => {
      const sink = await withTexts(5);
      const both = { text: 'number3', vector: toDirection('x'), denseTopK: 3, sparseTopK: 3 };
      const { dense, sparse } = await sink.query(both);
      expect([dense.length, sparse.length]).toEqual([3, 0]);
      expect(await sink.query({ text: 'number3', denseTopK: 3, sparseTopK: 3 })).toMatchObject({
        chunks: [],
      });
    });
    return;
  }

  describe('sparse search', () => {
    const find = async (sink: Sink, text: string, k = 100) =>
      (await sink.query({ text, denseTopK: 0, sparseTopK: k })).sparse;

    test('finds chunks with the words in text, headings and title only', async () => {
      const sink = fresh()();
      await put(sink, document('a'), ['the walrus sleeps', 'the seal swims']);
      await put(sink, document('b'), ['a text'], { headings: ['Walrus'] });
      await put(sink, document('c', 1, { title: 'walrus' }), ['another text']);
      expect(listHitIds(await find(sink, 'walrus')).sort()).toEqual(['a/1/0', 'b/1/0', 'c/1/0']);
      expect(listHitIds(await find(sink, 'walrus sleeps'))[0]).toBe('a/1/0');
      expect(await find(sink, 'absent')).toEqual([]);
      expect((await find(sink, 'walrus')).every(({ score }) => score > 0)).toBe(true);
    });

    test('finds a chunk by a question with hundreds of its words', async () => {
      const sink = fresh()();
      const words = Array.from({ length: 300 }, (_, at) => `berth${at}`);
      await put(sink, document('a'), [words.join(' '), 'the walrus sleeps']);
      await put(sink, document('b'), [words.slice(0, 10).join(' '), 'the seal swims']);
      expect(listHitIds(await find(sink, words.join(' ')))).toEqual(['a/1/0', 'b/1/0']);
    });

    test('finds the keywords of the current version', async () => {
      const sink = fresh()();
      await put(sink, document('a', 1, { title: 'plain', keywords: 'Oyelaran\nharbour' }), ['the walrus']);
      await put(sink, document('b'), ['oyelaran sleeps']);
      expect(listHitIds(await find(sink, 'oyelaran')).sort()).toEqual(['a/1/0', 'b/1/0']);
      await sink.describe({ documentId: 'a', title: 'renamed', metadata: {} });
      expect(listHitIds(await find(sink, 'harbour'))).toEqual(['a/1/0']);
      expect(listHitIds(await find(sink, 'renamed'))).toEqual(['a/1/0']);
      await put(sink, document('a', 2), ['the walrus']);
      expect(await find(sink, 'harbour')).toEqual([]);
    });

    test('ranks rarer words and denser texts first, and ties by id', async () => {
      const sink = fresh()();
      await put(sink, document('b'), ['common rare', 'common', 'common']);
      await put(sink, document('a'), ['common', `common ${'other '.repeat(60)}`]);
      const found = listHitIds(await find(sink, 'common rare'));
      expect(found).toEqual(['b/1/0', 'a/1/0', 'b/1/1', 'b/1/2', 'a/1/1']);
    });

    test('orders equal scores by document and position', async () => {
      const sink = fresh()();
      for (const [documentId, ids] of [
        ['b', ['1', '0']],
        ['a', ['9', '8']],
      ] as const) {
        const all = chunks(documentId, 1, ['walrus', 'walrus']);
        await write(
          sink,
          document(documentId, 1, { title: '' }),
          all.map((chunk, at) => ({ ...chunk, id: ids[at]! })),
        );
      }
      expect(listHitIds(await find(sink, 'walrus'))).toEqual(['9', '8', '1', '0']);
      expect(listHitIds(await find(sink, 'walrus', 1))).toEqual(['9']);
      expect(listHitIds((await nearest(sink, 'walrus')).dense)).toEqual(['9', '8', '1', '0']);
    });

    test.each([1, 7, 100])('returns the best %i', async (k) => {
      const sink = await withTexts(120);
      const hundred = listHitIds(await find(sink, 'walrus', 100));
      expect(new Set(hundred).size).toBe(100);
      expect(listHitIds(await find(sink, 'walrus', k))).toEqual(hundred.slice(0, k));
    });
  });

  test('a query with both arms returns the results of each arm and every chunk once', async () => {
    const sink = await withTexts(40);
    const [text, vector] = ['number3 number17', toDirection('walrus number3 filler filler filler ')];
    const both = await sink.query({ text, vector, denseTopK: 4, sparseTopK: 6 });
    const dense = await sink.query({ vector, denseTopK: 4, sparseTopK: 6 });
    const sparse = await sink.query({ text, denseTopK: 4, sparseTopK: 6 });
    expect([both.dense, both.sparse]).toEqual([dense.dense, sparse.sparse]);
    const ids = both.chunks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids)).toEqual(new Set([...listHitIds(both.dense), ...listHitIds(both.sparse)]));
  });
}
