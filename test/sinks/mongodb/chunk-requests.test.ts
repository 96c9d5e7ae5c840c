import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { MongoChunkStore } from '#src/sinks/mongodb/search/chunk-store.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { toNewRecord } from '#test/support/new-record.ts';
import { MongoSession } from '#test/vendors/mongodb/client.ts';

let session: MongoSession;
beforeEach(() => {
  session = new MongoSession();
});
afterEach(async () => {
  expect((await session.state()).mistakes).toEqual([]);
});

async function open(changes: object = {}) {
  const place = { db_uri: session.uri(), db_name: session.name, collection_name: 'c' };
  const settings = mongodb.settings.parse({ ...place, native_search: true, ...changes });
  const store = new MongoChunkStore(settings, {
    ...{ fetch, log: createLogger(), indexId: 'index' },
    settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  });
  await store.ensure(8);
  return store;
}

const listCommands = async (name: string) =>
  (await session.state()).seen.filter((command) => name in command);
const listSearches = async () =>
  (await listCommands('aggregate'))
    .map(({ pipeline }) => pipeline as Record<string, Record<string, unknown>>[])
    .filter(([first]) => !('$listSearchIndexes' in first!));

describe('requests for whole chunks to MongoDB Atlas', () => {
  it.each([
    ['each search index', undefined],
    ['the index of vectors', 'vectorSearch'],
    ['the index of words', 'search'],
  ] as const)('wait until %s contains every written chunk', async (_, behind) => {
    const store = await open();
    await session.plan({ unseen: 2, ...(behind && { behind }) });
    await store.write(['walrus', 'seal', 'gull'].map(toNewRecord));
    expect(await listSearches()).toHaveLength(3);
  });

  it.each([
    [10_334, 'BSONObj size is invalid', false],
    [112, 'WriteConflict', true],
  ])('reject a write that failed for some chunks with the code %i', async (code, errmsg, retryable) => {
    const store = await open();
    const answer = { ok: 1, n: 1, nModified: 1, writeErrors: [{ index: 1, code, errmsg }] };
    await session.fail({ on: 'update', kind: 'answer', answer });
    await expect(store.write(['walrus', 'seal'].map(toNewRecord))).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable },
      message: `MongoDB Atlas refused a write: ${errmsg}.`,
    });
  });

  it.each([
    [1, 200],
    [100, 2_000],
    [1_000, 10_000],
  ])('consider more candidates than the %i nearest chunks', async (topK, candidates) => {
    const store = await open();
    await store.search({ dense: { vector: toDirection('walrus'), topK } });
    const [sent] = await listSearches();
    expect(sent![0]!.$vectorSearch).toMatchObject({ limit: topK, numCandidates: candidates });
  });

  it('wait until the index of words is built', async () => {
    await open();
    await session.plan({ building: 1_000 });
    await expect(open({ fulltext_index_name: 'other' })).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: true },
      message: 'MongoDB Atlas: The index other (fulltext_index_name) is still being built (BUILDING).',
    });
  });

  it('find no chunk whose node id differs in characters that MongoDB cannot store', async () => {
    const store = await open();
    const ids = ['node \ud800', 'node \udfff'];
    await store.write(
      ids.map((id, at) => {
        const record = toNewRecord('walrus', at);
        return { ...record, chunk: { ...record.chunk, id } };
      }),
    );
    expect((await store.find(ids[0]!)).map(({ chunk }) => chunk.documentId)).toEqual(['0']);
  });

  it('create indexes for the fields by which chunks are listed, found and deleted', async () => {
    await open();
    const made = (await listCommands('createIndexes')).flatMap(({ indexes }) => indexes as { key: object }[]);
    expect(made.map(({ key }) => Object.keys(key))).toEqual([
      ['sluice_index', 'document_id', 'version', 'position'],
      ['sluice_index', 'node_id'],
    ]);
  });
});
