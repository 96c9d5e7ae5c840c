import { expect, it } from 'vitest';
import type { Filters } from '#src/ports/index-types.ts';
import { SinkError } from '#src/ports/sink.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { idsNear, nearest, put } from '#test/suites/sink/fixture.ts';
import { MemoryChunkStore } from './memory-chunk-store.ts';
import { createMemoryIndex } from './memory-index.ts';

/** Store whose answers contain at most ten results of each arm. */
class SmallPages extends MemoryChunkStore {
  override readonly limits = { points: 100, bytes: 1_000_000, largestPage: 10, lookedUp: 50 };
}

/** Creates an index with documents that have the metadata `at`, beginning with 0. */
async function createNumbered(count: number, store = new MemoryChunkStore()) {
  const index = createMemoryIndex(store);
  for (let at = 0; at < count; at += 1)
    await put(index.open(), document(`doc ${at}`, 1, { metadata: { at } }), ['walrus']);
  return index;
}
const atLeast = (value: number): Filters => ({
  condition: 'and',
  filters: [{ key: 'at', operator: '>=', value }],
});

it('never asks the store for more results than one answer has', async () => {
  const { store, open } = await createNumbered(12, new SmallPages());
  const asked: (number | undefined)[] = [];
  const { search } = store;
  store.search = (wanted) => {
    asked.push(wanted.dense?.topK, wanted.sparse?.topK);
    return search.call(store, wanted);
  };
  const query = { vector: toDirection('walrus'), text: 'walrus', filters: atLeast(99) };
  await open().query({ ...query, denseTopK: 3, sparseTopK: 3 });
  expect(asked).toEqual([9, 9, 10, 10]);
  await open().query({ ...query, denseTopK: 50, sparseTopK: 50 });
  expect(asked.slice(4)).toEqual([10, 10]);
});

it('asks for more results of the words too', async () => {
  const { open } = await createNumbered(30);
  const query = { text: 'walrus', denseTopK: 0, sparseTopK: 2, filters: atLeast(28) };
  const { sparse } = await open().query(query);
  expect(sparse.map(({ documentId }) => documentId).sort()).toEqual(['doc 28', 'doc 29']);
});

it('searches again if a version is replaced after the store has answered', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus']);
  const { search } = store;
  store.search = async (wanted) => {
    const found = await search.call(store, wanted);
    if (store.searches === 1) await put(open(), document('a', 2), ['walrus']);
    return found;
  };
  const { dense, chunks: found } = await nearest(open(), 'walrus');
  expect(dense.map(({ id }) => id)).toEqual(['a/2/0']);
  expect(found).toHaveLength(1);
});

it('lists a version that was published while the version before it was read', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['old']);
  const { list } = store;
  let lists = 0;
  store.list = async (wanted) => {
    lists += 1;
    const listed = await list.call(store, wanted);
    if (lists === 1) await put(open(), document('a', 2), ['new']);
    return listed;
  };
  expect((await open().listChunks('a')).map(({ text }) => text)).toEqual(['new']);
});

it('lists nothing if another version is published during each attempt', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['text']);
  const { list } = store;
  let version = 1;
  store.list = async (wanted) => {
    const listed = await list.call(store, wanted);
    version += 1;
    await put(open(), document('a', version), ['text']);
    return listed;
  };
  expect(await open().listChunks('a')).toEqual([]);
});

it('deletes chunks that a change of the title wrote while their document was removed', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus', 'seal']);
  // Some stores write whole records.
  store.update = async () => {
    const written = new Map(store.records);
    await open().remove(['a'], 5);
    for (const [rowId, record] of written) store.records.set(rowId, record);
  };
  await open().describe({ documentId: 'a', title: 'new', metadata: {} });
  expect(await idsNear(open())).toEqual([]);
  expect(store.records.size).toBe(0);
});

it('repeats the deletion of more documents than one request names', async () => {
  const { store, ledger, open } = createMemoryIndex();
  const ids = Array.from({ length: 450 }, (_, at) => `doc ${at}`);
  await open().ensure(8);
  await open().publishMany(ids.map((id) => ({ document: document(id), chunks: chunks(id, 1, ['walrus']) })));
  const { remove } = store;
  store.remove = async () => {
    throw new SinkError('The store is down.', { retryable: true });
  };
  await open().remove(ids, 1);
  expect(store.records.size).toBe(450);
  store.remove = remove;
  await open().catchUp!();
  expect(store.records.size).toBe(0);
  expect(await ledger.listLeftovers(10)).toEqual([]);
});
