import { expect, it } from 'vitest';
import { SinkError } from '#src/ports/sink.ts';
import { MANAGED_CAPABILITIES } from '#src/sinks/managed/managed.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { BodyTooLarge } from '#src/upstream/watched-body.ts';
import { managedDeps } from '#test/durable-objects/managed-index.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { idsNear, nearest, put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { createMemoryIndex } from './memory-index.ts';

sinkSuite({
  kind: 'memory',
  capabilities: MANAGED_CAPABILITIES,
  fresh: () => createMemoryIndex().open,
  failing: {},
});

const unavailable = async () => {
  throw new SinkError('The store is down.', { retryable: true });
};

it('removes a document at once while the store is down, and its chunks as soon as the store is back', async () => {
  const { store, ledger, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus', 'seal']);
  await put(open(), document('b'), ['walrus']);
  const { remove } = store;
  store.remove = unavailable;
  await open().remove(['a'], 5);
  expect(await idsNear(open())).toEqual(['b/1/0']);
  expect(await open().listChunks('a')).toEqual([]);
  expect(await open().chunk('a/1/0')).toBeUndefined();
  expect(await open().stats()).toMatchObject({ documents: 1, chunks: 1 });
  expect(store.records.size).toBe(3);
  expect(await ledger.listLeftovers(10)).toEqual([{ documentId: 'a', version: 5 }]);
  await expect(open().catchUp!()).rejects.toMatchObject({ retryable: true });
  store.remove = remove;
  await open().catchUp!();
  expect(store.records.size).toBe(1);
  expect(await ledger.listLeftovers(10)).toEqual([]);
});

it('does not wait for a silent store when a document is removed', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus']);
  store.remove = () => new Promise(() => {});
  await open().remove(['a'], 5);
  expect(await idsNear(open())).toEqual([]);
});

it('shows a new version while the chunks of the old one cannot be deleted', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus', 'seal']);
  const { remove } = store;
  store.remove = unavailable;
  await put(open(), document('a', 2), ['walrus']);
  expect(await idsNear(open())).toEqual(['a/2/0']);
  const query = { text: 'walrus seal', denseTopK: 0, sparseTopK: 9 };
  expect((await open().query(query)).sparse.map(({ id }) => id)).toEqual(['a/2/0']);
  store.remove = remove;
  await open().catchUp!();
  expect(store.records.size).toBe(1);
});

it('deletes chunks that were written while their document was removed', async () => {
  const { store, open } = createMemoryIndex();
  const { write } = store;
  store.write = async (records) => {
    await open().remove(['a'], 5);
    await write.call(store, records);
  };
  await open().ensure(8);
  await open().stage(document('a', 3), chunks('a', 3, ['walrus']));
  expect(store.records.size).toBe(0);
  expect(await open().publish(document('a', 4), chunks('a', 4, ['walrus']), 1)).toBe(false);
  expect(store.records.size).toBe(0);
});

it('deletes chunks that an interrupted attempt wrote and never published', async () => {
  const { store, ledger, open } = createMemoryIndex();
  const broken = { ...ledger, publish: unavailable };
  const interrupted = createLedgerSearch({ store, ledger: broken, deps: { ...managedDeps, indexId: 'any' } });
  const analysed = { language: 'en' as const, terms: [], frequencies: [], length: 1 };
  const [chunk] = chunks('a', 1, ['walrus']);
  await interrupted.ensure(8);
  await expect(
    interrupted.publish([
      {
        document: document('a'),
        chunks: [{ ...chunk!, rowId: crypto.randomUUID(), analysed }],
        chunkCount: 1,
      },
    ]),
  ).rejects.toThrow('down');
  expect(store.records.size).toBe(1);
  await put(open(), document('a', 2), ['seal']);
  expect([...store.records.values()].map(({ version }) => version)).toEqual([2]);
});

it('asks the store for more while most results are hidden by filters that only Sluice can evaluate', async () => {
  const { store, open } = createMemoryIndex();
  for (let at = 0; at < 60; at += 1)
    await put(open(), document(`doc ${at}`, 1, { metadata: { at } }), [`walrus ${at}`]);
  const filters = { condition: 'and' as const, filters: [{ key: 'at', operator: '>=' as const, value: 57 }] };
  store.searches = 0;
  const { dense } = await nearest(open(), 'walrus', 3, filters);
  expect(dense.map(({ documentId }) => documentId).sort()).toEqual(['doc 57', 'doc 58', 'doc 59']);
  expect(store.searches).toBeGreaterThan(1);
  store.searches = 0;
  await open().query({ vector: toDirection('walrus'), text: 'walrus', denseTopK: 3, sparseTopK: 3 });
  expect(store.searches).toBe(1);
});

it('counts the chunks that the store still has', async () => {
  const { store, search, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus', 'seal']);
  await put(open(), document('b', 7), ['walrus']);
  await open().remove(['c'], 3);
  store.records.delete([...store.records.keys()][0]!);
  const versions = await search.findVersions(['a', 'b', 'c', 'unknown']);
  expect(versions.sort((one, other) => one.documentId.localeCompare(other.documentId))).toEqual([
    { documentId: 'a', version: 1, removed: -1, chunks: 1 },
    { documentId: 'b', version: 7, removed: -1, chunks: 1 },
    { documentId: 'c', version: null, removed: 3, chunks: 0 },
  ]);
});

it('looks up a part of a document that has more chunks than one request can name', async () => {
  const { store, search, open } = createMemoryIndex();
  await put(
    open(),
    document('a'),
    Array.from({ length: 60 }, (_, at) => `walrus ${at}`),
  );
  for (const [rowId, { chunk }] of store.records) if (chunk.position < 3) store.records.delete(rowId);
  expect(await search.findVersions(['a'])).toMatchObject([{ documentId: 'a', chunks: 57 }]);
});

it('deletes what an interrupted attempt wrote after the removal with the next sync', async () => {
  const { store, open } = createMemoryIndex();
  await put(open(), document('a'), ['walrus']);
  const [rowId, record] = [...store.records][0]!;
  await open().remove(['a'], 5);
  expect(store.records.size).toBe(0);
  store.records.set(rowId, record);
  expect(await idsNear(open())).toEqual([]);
  await open().catchUp!();
  expect(store.records.size).toBe(0);
});

it('returns the results that it has if the answer with more of them is too large', async () => {
  const { store, open } = createMemoryIndex();
  for (let at = 0; at < 60; at += 1)
    await put(open(), document(`doc ${at}`, 1, { metadata: { at } }), [`walrus ${at}`]);
  const { search } = store;
  store.search = async (wanted) => {
    if ((wanted.dense?.topK ?? 0) < 20) return search.call(store, wanted);
    const cause = new BodyTooLarge('it has more than 10 bytes');
    throw new SinkError('The store did not finish its answer.', { retryable: false, cause });
  };
  const filters = { condition: 'and' as const, filters: [{ key: 'at', operator: '>=' as const, value: 0 }] };
  expect((await nearest(open(), 'walrus', 5, filters)).dense).toHaveLength(5);
  const few = { ...filters, filters: [{ ...filters.filters[0]!, value: 55 }] };
  expect((await nearest(open(), 'walrus', 5, few)).dense.length).toBeLessThan(5);
  await expect(nearest(open(), 'walrus', 50, few)).rejects.toMatchObject({ code: 'upstream' });
});

it('publishes a document with more chunks than a list returns without pages', async () => {
  const { open } = createMemoryIndex();
  const sink = open();
  const all = chunks(
    'a',
    1,
    Array.from({ length: 10_100 }, (_, at) => `walrus ${at}`),
  );
  await sink.ensure(8);
  await sink.stage(document('a'), all.slice(0, 10_000));
  expect(await sink.publish(document('a'), all.slice(10_000), all.length)).toBe(true);
  expect(await sink.stats()).toMatchObject({ documents: 1, chunks: 10_100 });
});
