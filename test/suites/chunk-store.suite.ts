import { describe, expect, it } from 'vitest';
import type { ChunkRecord, ChunkStore, NewRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { analyseWithTitle } from '#src/sinks/native/lexical.ts';
import { toDirection } from './sink/content.ts';

export interface ChunkStoreFixture {
  name: string;
  /** Opens the store of an index. The stores of all indexes of one test share one place. */
  open(indexId: string): ChunkStore;
  /** Metadata key that the settings declare, for stores that can filter by no other key. */
  key?: string;
}

type Given = Partial<Pick<NewRecord, 'rowId' | 'version'>> & Partial<NewRecord['chunk']>;

/** Returns a chunk of document `a` in version 1, unless other values are given. */
function toRecord({ rowId = crypto.randomUUID(), version = 1, ...rest }: Given): NewRecord {
  const chunk = {
    ...{ id: 'node', documentId: 'a', position: 0, text: 'walrus', headings: [], hash: 'hash' },
    ...{ startChar: 0, endChar: 6, language: 'en', title: '', metadata: {}, ...rest },
  };
  const analysed = analyseWithTitle({ text: chunk.text, language: 'en' }, chunk.title);
  const vector = toDirection(chunk.text);
  return { rowId, version, keywords: '', length: analysed.length, meanLength: 1, chunk, analysed, vector };
}

const toSparse = (word: string, topK = 9) => ({
  topK,
  weights: { finding: new Map([[`en:${word}`, 1]]), ranking: new Map<string, number>() },
});
const toDense = (text: string, topK = 9) => ({ vector: toDirection(text), topK });
const getTitles = (records: ChunkRecord[]) => records.map(({ chunk }) => chunk.title);

function getCosine(one: string, other: string): number {
  const [a, b] = [toDirection(one), toDirection(other)];
  return a.reduce((sum, x, at) => sum + x * b[at]!, 0);
}

/** Tests that every store of whole chunks must pass. */
export function chunkStoreSuite({ name, open, key = 'year' }: ChunkStoreFixture): void {
  async function holding(...records: Given[]) {
    const store = open('index');
    await store.ensure(8);
    const written = records.map(toRecord);
    if (written.length > 0) await store.write(written);
    return { store, written };
  }

  describe(`chunk store of ${name}`, () => {
    it('lists the chunks of one version by position, whatever the order in which they were written', async () => {
      const { store } = await holding({ position: 4 }, { position: 0 }, { position: 2 });
      await store.write([3, 1].map((position) => toRecord({ position })));
      const others: Given[] = [{ version: 0 }, { version: 2 }, { documentId: 'A' }, { documentId: 'aa' }];
      await store.write(others.map((each) => toRecord({ ...each, position: 1 })));
      const read = async (from: number, limit: number) => {
        const records = await store.list({ documentId: 'a', version: 1, from, limit });
        return records.map(({ chunk }) => chunk.position);
      };
      expect(await read(0, 3)).toEqual([0, 1, 2]);
      expect(await read(3, 3)).toEqual([3, 4]);
      expect(await read(2, 1)).toEqual([2]);
      expect(await read(5, 3)).toEqual([]);
    });

    it('keeps indexes apart that have the same documents and chunks', async () => {
      const [mine, other] = [open('mine'), open('other')];
      for (const [store, title] of [
        [mine, 'mine'],
        [other, 'other'],
      ] as const) {
        await store.ensure(8);
        await store.write([toRecord({ title, metadata: { [key]: 'same' } })]);
      }
      const preFilter = mine.isFilterable(key, 'oneOf') ? { key, oneOf: ['same'] } : undefined;
      const readAll = async (store: ChunkStore) => {
        const search = { dense: toDense('walrus'), sparse: toSparse('walrus') };
        const found = await store.search(search);
        const filtered = await store.search({ ...search, ...(preFilter && { preFilter }) });
        const listed = await store.list({ documentId: 'a', version: 1, from: 0, limit: 9 });
        const searched = [found.dense, found.sparse, filtered.dense, filtered.sparse];
        return [...searched, listed, await store.find('node')].map(getTitles);
      };
      expect(await readAll(mine)).toEqual(Array(6).fill(['mine']));
      await mine.remove([{ documentId: 'a', version: 1 }]);
      expect(await readAll(mine)).toEqual(Array(6).fill([]));
      await mine.drop();
      expect(await readAll(other)).toEqual(Array(6).fill(['other']));
    });

    it('deletes each document up to and including its version', async () => {
      const versions = ['a', 'b'].flatMap((documentId) =>
        [1, 2, 3].map((version) => ({ documentId, version, title: `${documentId}${version}` })),
      );
      const { store, written } = await holding(...versions, { documentId: 'c', title: 'c1' });
      await store.remove([]);
      await store.remove([
        { documentId: 'a', version: 1 },
        { documentId: 'b', version: 2 },
        { documentId: 'unknown', version: 3 },
      ]);
      const kept = ['a2', 'a3', 'b3', 'c1'];
      const found = await store.search({ dense: toDense('walrus'), sparse: toSparse('walrus') });
      for (const arm of [found.dense, found.sparse]) expect(getTitles(arm).sort()).toEqual(kept);
      const existing = await store.lookUp(written.map(({ rowId }) => rowId));
      expect(existing.size).toBe(4);
    });

    it('finds the chunks with a node id, of all versions', async () => {
      const others = ['nod', 'node1', 'Node', 'node '].map((id) => ({ id }));
      const { store } = await holding({ version: 2 }, { version: 1 }, ...others);
      const found = await store.find('node');
      expect(found.map(({ version }) => version).sort()).toEqual([1, 2]);
      expect(await store.find('absent')).toEqual([]);
    });

    it('returns the wanted number of results of each arm, from highest to lowest score', async () => {
      const texts = ['seal', 'walrus', 'walrus seal', 'walrus seal gull', 'walrus seal gull ice'];
      const { store } = await holding(...texts.map((text, position) => ({ text, position })));
      for (const [near, worded] of [
        [2, 3],
        [4, 1],
      ] as const) {
        const found = await store.search({
          dense: toDense('walrus', near),
          sparse: toSparse('walrus', worded),
        });
        const cosines = texts.map((text) => getCosine('walrus', text)).sort((a, b) => b - a);
        expect(found.dense.map(({ score }) => score)).toEqual(
          cosines.slice(0, near).map((cosine) => expect.closeTo(cosine, 4)),
        );
        expect(found.sparse.map(({ chunk }) => chunk.text)).toEqual(texts.slice(1, 1 + worded));
      }
    });

    it('replaces a record that is written again', async () => {
      const { store, written } = await holding({ text: 'walrus', metadata: { [key]: 'old' } });
      const { rowId } = written[0]!;
      await store.write([toRecord({ rowId, text: 'seal', metadata: { [key]: 'new' } })]);
      const listed = await store.list({ documentId: 'a', version: 1, from: 0, limit: 9 });
      expect(listed.map(({ chunk }) => [chunk.text, chunk.metadata])).toEqual([['seal', { [key]: 'new' }]]);
      expect((await store.search({ sparse: toSparse('walrus') })).sparse).toEqual([]);
      const { dense } = await store.search({ dense: toDense('seal') });
      expect(dense).toMatchObject([{ score: expect.closeTo(1, 4) }]);
    });

    it('changes title, metadata and words of existing records, and keeps their vectors', async () => {
      const { store, written } = await holding(
        { text: 'walrus', title: 'old', metadata: { [key]: 'old' } },
        { text: 'seal', position: 1, metadata: { [key]: 'old' } },
      );
      const changes = [...written, toRecord({ position: 2 })].map(({ vector: _, ...record }) => {
        const chunk = { ...record.chunk, title: 'new', metadata: { [key]: 'new' } };
        return { ...record, chunk, analysed: analyseWithTitle(chunk, chunk.title) };
      });
      await store.update(changes);
      const { dense, sparse } = await store.search({ dense: toDense('seal', 1), sparse: toSparse('new') });
      expect(dense).toMatchObject([{ score: expect.closeTo(1, 4), chunk: changes[1]!.chunk }]);
      expect(sparse.map(({ chunk }) => chunk.text).sort()).toEqual(['seal', 'walrus']);
      expect((await store.search({ sparse: toSparse('old') })).sparse).toEqual([]);
      expect(await store.lookUp(changes.map(({ rowId }) => rowId))).toEqual(
        new Set(written.map(({ rowId }) => rowId)),
      );
      if (!store.isFilterable(key, 'oneOf')) return;
      const count = async (value: string) => {
        const found = await store.search({
          ...{ dense: toDense('seal'), sparse: toSparse('new') },
          preFilter: { key, oneOf: [value] },
        });
        return [found.dense.length, found.sparse.length];
      };
      expect([await count('new'), await count('old')]).toEqual([
        [2, 2],
        [0, 0],
      ]);
    });

    it('has no chunks before its place is created', async () => {
      const store = open('index');
      expect(await store.lookUp([crypto.randomUUID()])).toEqual(new Set());
      await store.remove([{ documentId: 'a', version: 1 }]);
      await store.drop();
    });
  });
}
