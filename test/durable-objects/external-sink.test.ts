import { describe, expect, it } from 'vitest';
import type { Filters } from '#src/ports/index-types.ts';
import { externalSink } from '#src/sinks/external/external-sink.ts';
import { createManagedIndex } from '#src/sinks/managed/managed-index.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { idsNear, nearest, put } from '#test/suites/sink/fixture.ts';
import { useVendors } from '#test/vendors/client.ts';
import { Directory, managedDeps } from './managed-index.ts';
import { openNarrowed, openQdrant, QDRANT, QDRANT_VENDOR } from './qdrant-index.ts';

const vendors = useVendors(QDRANT_VENDOR);
const DELETE = 'POST /collections/{collection_name}/points/delete';
const QUERY = 'POST /collections/{collection_name}/points/query';

/** Creates an index, which can be opened repeatedly, and reads the points in its store. */
function freshIndex() {
  const deps = { ...managedDeps, indexId: crypto.randomUUID(), directory: new Directory() };
  const store = createQdrantStore(qdrant.settings.parse(QDRANT), deps);
  return {
    deps,
    store,
    open: () => openQdrant(deps.indexId, deps.directory),
    /** Lists documents and versions with points in the store: `a/1` is version 1 of document a. */
    async held(): Promise<string[]> {
      const points = await store.query(toDirection('x'), 1_000);
      return [...new Set(points.map(({ documentId, version }) => `${documentId}/${version}`))].sort();
    },
  };
}

const asked = async (operation: string) =>
  (await vendors.current.state()).seen.filter((each) => each.operation === operation);
const refuse = (on: string) => vendors.current.fail({ kind: 'status', status: 503, on });

describe('an unreachable external store', () => {
  it('does not show a removed document again, and deletes its points later', async () => {
    const { open, held } = freshIndex();
    for (const id of ['a', 'b']) await put(open(), document(id), ['walrus']);
    await refuse(DELETE);
    await open().remove(['a'], 5);
    expect(await idsNear(open())).toEqual(['b/1/0']);
    expect(await held()).toEqual(['a/1', 'b/1']);
    await refuse(DELETE);
    await expect(open().catchUp!()).rejects.toMatchObject({ retryable: true });
    await open().catchUp!();
    expect(await held()).toEqual(['b/1']);
    const before = (await asked(DELETE)).length;
    await open().catchUp!();
    expect(await asked(DELETE)).toHaveLength(before);
  });

  it('deletes only the points of a replaced version later', async () => {
    const { open, held } = freshIndex();
    await put(open(), document('a'), ['walrus', 'seal']);
    await refuse(DELETE);
    expect(await put(open(), document('a', 2), ['walrus'])).toBe(true);
    expect(await held()).toEqual(['a/1', 'a/2']);
    expect(await idsNear(open())).toEqual(['a/2/0']);
    await open().catchUp!();
    expect(await held()).toEqual(['a/2']);
    expect(await idsNear(open())).toEqual(['a/2/0']);
  });
});

describe('a late version', () => {
  it.each(['stage', 'publish'] as const)('leaves no points in the store: %s', async (call) => {
    const { open, held } = freshIndex();
    await put(open(), document('b'), ['seal']);
    await open().remove(['a'], 5);
    const late = chunks('a', 4, ['walrus']);
    if (call === 'stage') await open().stage(document('a', 4), late);
    else expect(await open().publish(document('a', 4), late, 1)).toBe(false);
    expect(await held()).toEqual(['b/1']);
  });

  it('does not delete the published version', async () => {
    const { open, held } = freshIndex();
    await put(open(), document('a'), ['walrus']);
    await open().stage(document('a'), chunks('a', 1, ['walrus']));
    expect(await held()).toEqual(['a/1']);
  });
});

it.each(['stage', 'publish'] as const)(
  'a document is recorded before its points are written to the store: %s',
  async (call) => {
    const { deps, store, held } = freshIndex();
    const known: boolean[] = [];
    const ending = new Error('the process ends');
    const sink = externalSink({
      store: {
        ...store,
        async upsert(points) {
          known.push(deps.directory.ranges.has('a'));
          await store.upsert(points);
          throw ending;
        },
      },
      index: createManagedIndex(deps),
      deps,
    });
    await sink.ensure(8);
    const written =
      call === 'stage'
        ? sink.stage(document('a'), chunks('a', 1, ['walrus']))
        : sink.publish(document('a'), chunks('a', 1, ['walrus']), 1);
    await expect(written).rejects.toBe(ending);
    expect([known, await held()]).toEqual([[true], ['a/1']]);
  },
);

describe('a query of an external store', () => {
  it('requests more points if too few of the nearest ones are visible', async () => {
    const { open } = freshIndex();
    await put(
      open(),
      document('gone'),
      Array.from({ length: 60 }, () => 'walrus'),
    );
    await put(open(), document('there'), ['north', 'east', 'south', 'west']);
    await refuse(DELETE);
    await open().remove(['gone'], 5);
    const { dense } = await nearest(open(), 'walrus', 4);
    expect(dense.map(({ documentId }) => documentId)).toEqual(['there', 'there', 'there', 'there']);
    const limits = (await asked(QUERY)).map(({ body }) => (body as { limit: number }).limit);
    expect(limits).toEqual([16, 64]);
  });

  it('sees the whole new version if a document is replaced during the query', async () => {
    const { deps, store, open } = freshIndex();
    await put(open(), document('a'), ['one', 'two']);
    let replaced = 0;
    const sink = externalSink({
      store: {
        ...store,
        async query(...args) {
          const found = await store.query(...args);
          replaced++;
          if (replaced === 1) await put(open(), document('a', 2), ['three', 'four', 'five']);
          return found;
        },
      },
      index: createManagedIndex(deps),
      deps,
    });
    const { dense } = await sink.query({ vector: toDirection('x'), denseTopK: 10, sparseTopK: 0 });
    expect(dense.map(({ id }) => id).sort()).toEqual(['a/2/0', 'a/2/1', 'a/2/2']);
    expect(replaced).toBe(2);
  });

  it('asks the store twice at most while it still has a replaced version', async () => {
    const { open } = freshIndex();
    await put(open(), document('a'), ['walrus']);
    await refuse(DELETE);
    await put(open(), document('a', 2), ['walrus']);
    expect(await idsNear(open())).toEqual(['a/2/0']);
    expect(await asked(QUERY)).toHaveLength(2);
  });

  it('names the documents that match its filters, and is not sent if no document matches', async () => {
    const { open } = freshIndex();
    for (const id of ['a', 'b']) await put(open(), document(id, 1, { metadata: { kind: id } }), ['walrus']);
    const of = (value: string) =>
      idsNear(open(), 'x', { condition: 'and', filters: [{ key: 'kind', operator: 'contains', value }] });
    expect(await of('b')).toEqual(['b/1/0']);
    expect(await of('c')).toEqual([]);
    const sent = await asked(QUERY);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.body).toMatchObject({
      filter: { must: [{ key: 'sluice_index' }, { key: 'document_id', match: { any: ['b'] } }] },
    });
  });

  it('sends only the filters that the store can evaluate if very many documents match', async () => {
    const { deps, open } = freshIndex();
    const kinds = { seal: 'animal', oak: 'plant', fir: 'plant' };
    for (const [id, kind] of Object.entries(kinds)) {
      await put(open(), document(id, 1, { metadata: { kind, size: id.length } }), ['text']);
    }
    const filters: Filters = {
      condition: 'and',
      filters: [
        { key: 'kind', operator: '==', value: 'plant' },
        { key: 'size', operator: '<', value: 5 },
        { key: 'kind', operator: 'contains', value: 'a' },
      ],
    };
    const narrowed = openNarrowed(deps.indexId, deps.directory);
    expect(await idsNear(narrowed, 'x', filters)).toEqual(['fir/1/0', 'oak/1/0']);
    const [sent] = await asked(QUERY);
    expect(sent!.body).toMatchObject({
      filter: {
        must: [{ key: 'sluice_index' }, { key: 'metadata_values', match: { any: ['["kind","plant"]'] } }],
      },
    });
  });

  it('finds nothing in an index that has no collection yet', async () => {
    const { open } = freshIndex();
    expect(await idsNear(open())).toEqual([]);
    expect((await asked(QUERY))[0]?.status).toBe(404);
  });
});

it('stores no vector outside the external store', async () => {
  const { open } = freshIndex();
  await put(open(), document('a'), ['walrus']);
  const [chunk] = await open().listChunks('a');
  expect(chunk).toMatchObject({ text: 'walrus' });
  expect(chunk).not.toHaveProperty('vector');
});

it('sends new titles and metadata to the store', async () => {
  const { open, deps } = freshIndex();
  await put(open(), document('a'), ['walrus']);
  const described = { documentId: 'a', title: 'Walrus', metadata: { year: 1999 } };
  await open().describe(described);
  const sent = (await asked('POST /collections/{collection_name}/points/payload'))[0]!;
  expect(sent.body).toEqual({
    payload: { title: 'Walrus', metadata: { year: 1999 }, metadata_values: ['["year",1999]'] },
    filter: {
      must: [
        { key: 'sluice_index', match: { value: deps.indexId } },
        { key: 'document_id', match: { value: 'a' } },
      ],
    },
  });
});

describe('weights of a learned sparse model', () => {
  const weigh = (weights: Record<number, number>) => ({
    indexes: Uint32Array.from(Object.keys(weights), Number),
    values: Float32Array.from(Object.values(weights)),
  });
  /** Publishes a document with one chunk that has these weights. */
  async function putWeighed(
    sink: ReturnType<typeof openQdrant>,
    id: string,
    weights: Record<number, number>,
  ) {
    const of = document(id, 1, { hasWeights: true });
    const [chunk] = chunks(id, 1, ['walrus']);
    await sink.ensure(chunk!.vector.length);
    await sink.publish(of, [{ ...chunk!, weights: weigh(weights) }], 1);
  }

  it('are searched in the index of Sluice, while vectors are searched in the store', async () => {
    const { open } = freshIndex();
    await putWeighed(open(), 'a', { 7: 2 });
    await putWeighed(open(), 'b', { 8: 1 });
    const query = { vector: toDirection('walrus'), weights: weigh({ 7: 1 }), denseTopK: 5, sparseTopK: 5 };
    const answer = await open().query(query);
    expect(answer.sparse).toMatchObject([{ documentId: 'a', score: 2 }]);
    expect(answer.dense.map(({ documentId }) => documentId).sort()).toEqual(['a', 'b']);
  });

  it('answer alone if the store does not answer', async () => {
    const { open } = freshIndex();
    await putWeighed(open(), 'a', { 7: 2 });
    await refuse(QUERY);
    const query = { vector: toDirection('walrus'), weights: weigh({ 7: 1 }), denseTopK: 5, sparseTopK: 5 };
    const answer = await open().query(query);
    expect(answer).toMatchObject({ dense: [], sparse: [{ documentId: 'a' }], warning: expect.any(String) });
  });
});
