import { describe, expect, test } from 'vitest';
import type { Filters } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { chunks, document, toDirection } from './content.ts';
import { idsNear, nearest, put, type SinkFixture, write } from './fixture.ts';

/** Tests that stored content is returned unchanged. */
export function contentRules({ fresh, capabilities }: SinkFixture) {
  test('chunks are returned as written, by queries and by document', async () => {
    const sink = fresh()();
    const of = document('a', 1, {
      title: 'Annual report',
      metadata: { year: 2024, tags: ['x', 'y'], done: true },
    });
    const [first, second] = chunks('a', 1, ['one', 'two']);
    const rich = { ...first!, headings: ['Part', 'Chapter'], startPage: 0, endPage: 2, nextId: 'a/1/1' };
    await write(sink, of, [rich, { ...second!, previousId: 'a/1/0' }]);
    const expected = {
      ...{ id: 'a/1/0', documentId: 'a', position: 0, text: 'one', headings: ['Part', 'Chapter'] },
      ...{ startChar: 0, endChar: 3, startPage: 0, endPage: 2, hash: 'hash of one', nextId: 'a/1/1' },
      ...{ title: 'Annual report', metadata: of.metadata },
    };
    const stored = await sink.listChunks('a');
    expect(stored).toMatchObject([expected, { text: 'two', headings: [], previousId: 'a/1/0' }]);
    expect(stored[1]!.startPage).toBeUndefined();
    expect(await sink.chunk('a/1/0')).toMatchObject(expected);
    expect(await sink.chunk('a/1/1')).toMatchObject({ text: 'two', documentId: 'a' });
    expect(await sink.chunk('a')).toBeUndefined();
    const found = await sink.query({ vector: toDirection('one'), denseTopK: 1, sparseTopK: 0 });
    expect(found.chunks).toMatchObject([expected]);
  });

  test('changes title and metadata, but not text or vector', async () => {
    const open = fresh();
    await put(open(), document('a', 1, { title: 'plain', metadata: { year: 1999 } }), ['text', 'more']);
    await put(open(), document('b', 1, { metadata: { year: 1999 } }), ['text']);
    const changes = { documentId: 'a', title: 'walrus', metadata: { kind: 'book' } };
    await open().describe(changes);
    await open().describe(changes);
    await open().describe({ documentId: 'unknown', title: 'x', metadata: {} });
    expect(await open().listChunks('a')).toMatchObject([
      { title: 'walrus', metadata: { kind: 'book' }, text: 'text', hash: 'hash of text' },
      { title: 'walrus', metadata: { kind: 'book' }, text: 'more' },
    ]);
    const where = (key: string, value: string | number) =>
      idsNear(open(), 'text', { condition: 'and', filters: [{ key, operator: '==', value }] });
    if (capabilities.filters.operators.includes('==')) {
      expect(await where('kind', 'book')).toEqual(['a/1/0', 'a/1/1']);
      expect(await where('year', 1999)).toEqual(['b/1/0']);
    }
    const near = await open().query({ vector: toDirection('text'), denseTopK: 2, sparseTopK: 0 });
    expect(near.dense.map(({ id }) => id)).toEqual(['a/1/0', 'b/1/0']);
    expect(near.dense[0]!.score).toBeCloseTo(1, 4);
    expect(await open().stats()).toMatchObject({ documents: 2, chunks: 3 });
  });

  test('chunks of a document are returned in ordered pages', async () => {
    const sink = fresh()();
    const texts = Array.from({ length: 25 }, (_, i) => `text ${i}`);
    await put(sink, document('a'), texts);
    await put(sink, document('b'), ['other']);
    const page = async (from: number, limit: number) =>
      (await sink.listChunks('a', { from, limit })).map(({ text }) => text);
    for (const from of [0, 10, 20]) expect(await page(from, 10)).toEqual(texts.slice(from, from + 10));
    expect(await page(24, 1)).toEqual(['text 24']);
    expect(await page(25, 10)).toEqual([]);
    expect((await sink.listChunks('a')).map(({ text }) => text)).toEqual(texts);
    expect(await sink.listChunks('unknown')).toEqual([]);
  });

  test('chunks are returned in order, whatever the order in which they were written', async () => {
    const open = fresh();
    const all = chunks('a', 1, ['zero', 'one', 'two', 'three']);
    const [zero, one, two, three] = all;
    await open().ensure(8);
    await open().stage(document('a'), [three!, two!]);
    expect(await open().publish(document('a'), [one!, zero!], 4)).toBe(true);
    expect((await open().listChunks('a')).map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    const page = await open().listChunks('a', { from: 1, limit: 2 });
    expect(page.map(({ text }) => text)).toEqual(['one', 'two']);
  });

  test('changes title and metadata of every chunk of a long document', async () => {
    const open = fresh();
    const texts = Array.from({ length: 450 }, (_, i) => `text ${i}`);
    await put(open(), document('a', 1, { metadata: { kind: 'letter' } }), texts);
    await open().describe({ documentId: 'a', title: 'new', metadata: { kind: 'book' } });
    const listed = await open().listChunks('a');
    expect(listed.filter(({ title, metadata }) => title === 'new' && metadata.kind === 'book')).toHaveLength(
      450,
    );
    if (!capabilities.filters.operators.includes('==')) return;
    const filters: Filters = { condition: 'and', filters: [{ key: 'kind', operator: '==', value: 'book' }] };
    expect((await nearest(open(), 'text', 450, filters)).dense).toHaveLength(450);
  });

  test('chunks of another index with the same documents are kept apart', async () => {
    const [mine, other] = [fresh(), fresh()];
    const indexes = [
      [mine, 'mine'],
      [other, 'other'],
    ] as const;
    for (const [open, title] of indexes) await put(open(), document('a', 1, { title }), ['walrus']);
    const expectTitle = async (open: () => Sink, title: string) => {
      const query = { vector: toDirection('walrus'), text: 'walrus', denseTopK: 9, sparseTopK: 9 };
      const found = [(await open().query(query)).chunks, await open().listChunks('a')];
      for (const each of found) expect(each.map((chunk) => chunk.title)).toEqual([title]);
      expect((await open().chunk('a/1/0'))?.title).toBe(title);
    };
    for (const [open, title] of indexes) await expectTitle(open, title);
    await other().describe({ documentId: 'a', title: 'changed', metadata: {} });
    await expectTitle(mine, 'mine');
    await expectTitle(other, 'changed');
    await other().remove(['a'], 1);
    await expectTitle(mine, 'mine');
  });

  test('ten thousand chunks are written in batches', async () => {
    const open = fresh();
    const texts = Array.from({ length: 10_000 }, (_, i) => `only${i} text`);
    expect(await put(open(), document('a'), texts)).toBe(true);
    expect(await open().stats()).toMatchObject({ documents: 1, chunks: 10_000 });
    const read: string[] = [];
    for (let from = 0; from < texts.length; from += 500) {
      read.push(...(await open().listChunks('a', { from, limit: 500 })).map(({ text }) => text));
    }
    expect(read).toEqual(texts);
    const near = await open().query({ vector: toDirection('only9999 text'), denseTopK: 1, sparseTopK: 0 });
    expect(near.dense.map(({ id }) => id)).toEqual(['a/1/9999']);
    expect(await put(open(), document('a', 2), ['one'])).toBe(true);
    expect(await open().stats()).toMatchObject({ documents: 1, chunks: 1 });
  });

  describe('vectors of another dimension', () => {
    test('are rejected with both numbers and change nothing', async () => {
      const open = fresh();
      await put(open(), document('a'), ['text']);
      const other = write(open(), document('b'), chunks('b', 1, ['text'], 16));
      const names = { retryable: false, message: expect.stringMatching(/\b8\b.*\b16\b|\b16\b.*\b8\b/s) };
      await expect(other).rejects.toMatchObject(names);
      const asked = open().query({ vector: toDirection('text', 16), denseTopK: 1, sparseTopK: 0 });
      await expect(asked).rejects.toMatchObject(names);
      expect(await open().stats()).toMatchObject({ documents: 1, chunks: 1 });
      expect(await put(open(), document('b'), ['text'])).toBe(true);
    });
  });
}
