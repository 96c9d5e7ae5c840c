import { describe, expect, test } from 'vitest';
import { chunks, document, toDirection } from './content.ts';
import { idsNear, nearest, put, type SinkFixture, write } from './fixture.ts';

/** Tests which version of a document queries return. */
export function versionRules({ fresh, keepsDimension }: SinkFixture) {
  describe('versions', () => {
    test('staged chunks are invisible until their version is published', async () => {
      const sink = fresh()();
      const [first, second] = chunks('a', 1, ['walrus', 'seal']);
      await sink.ensure(8);
      await sink.stage(document('a'), [first!]);
      expect(await idsNear(sink)).toEqual([]);
      expect(await sink.listChunks('a')).toEqual([]);
      expect(await sink.stats()).toMatchObject({ documents: 0, chunks: 0 });
      expect(await sink.publish(document('a'), [second!], 2)).toBe(true);
      expect(await idsNear(sink)).toEqual(['a/1/0', 'a/1/1']);
      expect(await sink.stats()).toMatchObject({ documents: 1, chunks: 2 });
    });

    test('chunks staged and published twice by two consumers are stored once', async () => {
      const open = fresh();
      const all = chunks('a', 1, ['one', 'two', 'three']);
      for (const sink of [open(), open()]) {
        await sink.ensure(8);
        await sink.stage(document('a'), all.slice(0, 2));
        await sink.stage(document('a'), all.slice(0, 2));
        expect(await sink.publish(document('a'), all.slice(2), 3)).toBe(true);
        expect(await sink.publish(document('a'), all.slice(2), 3)).toBe(true);
      }
      expect(await idsNear(open())).toEqual(['a/1/0', 'a/1/1', 'a/1/2']);
      expect(await open().stats()).toMatchObject({ documents: 1, chunks: 3 });
    });

    test('a new version replaces all chunks of the old one', async () => {
      const sink = fresh()();
      await put(sink, document('a'), ['one', 'two', 'three']);
      expect(await put(sink, document('a', 2), ['four'])).toBe(true);
      expect(await idsNear(sink)).toEqual(['a/2/0']);
      expect((await sink.listChunks('a')).map(({ text }) => text)).toEqual(['four']);
      expect(await sink.stats()).toMatchObject({ documents: 1, chunks: 1 });
    });

    test('publishing an older version changes nothing', async () => {
      const open = fresh();
      await put(open(), document('a', 2), ['second']);
      const late = open();
      await late.stage(document('a', 1, { title: 'late' }), chunks('a', 1, ['first']));
      expect(await late.publish(document('a', 1, { title: 'late' }), [], 1)).toBe(false);
      expect(await idsNear(open())).toEqual(['a/2/0']);
      expect(await open().listChunks('a')).toMatchObject([{ text: 'second', title: 'a' }]);
    });

    test('many documents can be published at once, and published versions stay', async () => {
      const open = fresh();
      await put(open(), document('b'), ['old']);
      const many = ['a', 'b', 'c'].map((id) => ({
        document: document(id, 2),
        chunks: chunks(id, 2, ['one', 'two']),
      }));
      for (const sink of [open(), open()]) {
        await sink.ensure(8);
        const published = await sink.publishMany(many);
        expect(published).toEqual(many.map(() => ({ status: 'fulfilled', value: true })));
      }
      const ids = ['a', 'b', 'c'].flatMap((id) => [`${id}/2/0`, `${id}/2/1`]);
      expect(await idsNear(open())).toEqual(ids);
      expect(await open().stats()).toMatchObject({ documents: 3, chunks: 6 });
    });

    test('removed documents stay removed in a batch, and one rejected document does not block others', async () => {
      const sink = fresh()();
      await put(sink, document('seen', 9), ['nine']);
      await sink.remove(['gone'], 5);
      const many = ['gone', 'seen', 'twice', 'good'].map((id) => ({
        document: document(id, 5),
        chunks: chunks(id, 5, ['one', 'two']),
      }));
      many[2]!.chunks[1]!.position = 0;
      const [gone, seen, twice, good] = await sink.publishMany(many);
      expect([gone, seen, good]).toEqual([
        { status: 'fulfilled', value: false },
        { status: 'fulfilled', value: false },
        { status: 'fulfilled', value: true },
      ]);
      expect(twice).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
      expect(await idsNear(sink)).toEqual(['good/5/0', 'good/5/1', 'seen/9/0']);
    });

    test('a version with missing chunks is not published', async () => {
      const sink = fresh()();
      await put(sink, document('a'), ['old']);
      const some = sink.publish(document('a', 2), chunks('a', 2, ['one', 'two']), 3);
      await expect(some).rejects.toMatchObject({ code: 'conflict' });
      expect(await idsNear(sink)).toEqual(['a/1/0']);
    });

    test('every query returns one whole version of a document', async () => {
      const open = fresh();
      const sizes: Record<string, number> = { 1: 30, 2: 40, 3: 5, 4: 60 };
      await put(open(), document('a'), texts(1, 30));
      let isDone = false;
      const writing = (async () => {
        for (const version of [2, 3, 4]) {
          const sink = open();
          const of = document('a', version);
          const all = chunks('a', version, texts(version, sizes[version]!));
          for (let from = 0; from + 10 < all.length; from += 10) {
            await sink.stage(of, all.slice(from, from + 10));
          }
          await sink.publish(of, all.slice(Math.floor((all.length - 1) / 10) * 10), all.length);
        }
        await open().remove(['a'], 5);
      })().finally(() => {
        isDone = true;
      });
      const reader = open();
      while (!isDone) {
        const { dense } = await nearest(reader, 'x');
        const seen = new Set(dense.map(({ id }) => id.split('/')[1]!));
        expect(seen.size).toBeLessThan(2);
        for (const version of seen) expect(dense).toHaveLength(sizes[version]!);
        const versions = new Set((await reader.listChunks('a')).map(({ id }) => id.split('/')[1]!));
        expect(versions.size).toBeLessThan(2);
      }
      await writing;
      expect(await idsNear(reader)).toEqual([]);
    });
  });

  describe('removal', () => {
    test('deletes published and staged chunks of the given documents only', async () => {
      const sink = fresh()();
      for (const id of ['a', 'b', 'c']) await put(sink, document(id), ['walrus']);
      await sink.stage(document('a', 2), chunks('a', 2, ['walrus']));
      await sink.remove(['a', 'c', 'unknown'], 3);
      await sink.remove(['a', 'c', 'unknown'], 3);
      await sink.remove([], 3);
      expect(await idsNear(sink)).toEqual(['b/1/0']);
      expect(await sink.listChunks('a')).toEqual([]);
      for (const id of ['a/1/0', 'a/2/0']) expect(await sink.chunk(id)).toBeUndefined();
      expect(await sink.chunk('b/1/0')).toMatchObject({ documentId: 'b' });
      expect(await sink.stats()).toMatchObject({ documents: 1, chunks: 1 });
    });

    test('prevents publishing of versions claimed before, but not after', async () => {
      const open = fresh();
      const late = open();
      await late.ensure(8);
      await late.stage(document('a', 2), chunks('a', 2, ['walrus']));
      await open().remove(['a'], 2);
      expect(await late.publish(document('a', 2), [], 1)).toBe(false);
      expect(await put(open(), document('a', 1), ['walrus'])).toBe(false);
      expect(await idsNear(open())).toEqual([]);
      expect(await put(open(), document('a', 3), ['walrus'])).toBe(true);
      expect(await idsNear(open())).toEqual(['a/3/0']);
    });

    test('keeps the higher tombstone and later versions if it arrives late', async () => {
      const sink = fresh()();
      await sink.ensure(8);
      await sink.remove(['a'], 5);
      await sink.remove(['a'], 3);
      expect(await put(sink, document('a', 4), ['walrus'])).toBe(false);
      expect(await idsNear(sink)).toEqual([]);
      expect(await put(sink, document('a', 6), ['walrus'])).toBe(true);
      await sink.remove(['a'], 5);
      expect(await idsNear(sink)).toEqual(['a/6/0']);
    });
  });

  test('drop deletes all data and tombstones of one index only', async () => {
    const [open, other] = [fresh(), fresh()];
    for (const each of [open, other]) await put(each(), document('a'), ['walrus']);
    await open().remove(['b'], 5);
    await open().drop();
    await open().drop();
    expect(await open().stats()).toMatchObject({ documents: 0, chunks: 0 });
    expect(await idsNear(other())).toEqual(['a/1/0']);
    const dimension = keepsDimension ? 8 : 16;
    await open().ensure(dimension);
    expect(await write(open(), document('b'), chunks('b', 1, ['walrus'], dimension))).toBe(true);
    const vector = toDirection('walrus', dimension);
    const { dense } = await open().query({ vector, denseTopK: 5, sparseTopK: 0 });
    expect(dense.map(({ id }) => id)).toEqual(['b/1/0']);
  });
}

function texts(version: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `v${version} text ${i}`);
}
