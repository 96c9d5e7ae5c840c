import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { MongoChunkStore } from '#src/sinks/mongodb/search/chunk-store.ts';
import { MongoStore } from '#src/sinks/mongodb/store.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { toNewRecord } from '#test/support/new-record.ts';
import { MongoSession } from '#test/vendors/mongodb/client.ts';

let session: MongoSession;
beforeEach(() => {
  session = new MongoSession();
});
afterEach(async () => {
  expect((await session.state()).mistakes).toEqual([]);
});

const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const buildSettings = (changes: object = {}) =>
  mongodb.settings.parse({
    ...{ db_uri: session.uri(), db_name: session.name, collection_name: 'c' },
    ...{ native_search: true, ...changes },
  });
const open = (changes: object = {}, indexId = 'index') =>
  new MongoChunkStore(buildSettings(changes), { ...deps, indexId });
const toWeights = (...terms: [string, number][]) => ({ finding: new Map(terms), ranking: new Map() });
const dense = { vector: toDirection('common'), topK: 3 };
const sparse = { weights: toWeights(['en:common', 1], ['en:rare', 1]), topK: 4 };

async function openFilled(changes: object = {}, indexId = 'index'): Promise<MongoChunkStore> {
  const store = open(changes, indexId);
  await store.ensure(8);
  await store.write(['common', 'common', 'common rare', 'common'].map(toNewRecord));
  return store;
}

const listSearches = async () =>
  (await session.state()).seen
    .filter((command) => 'aggregate' in command)
    .map(({ pipeline }) => pipeline as Record<string, Record<string, unknown>>[])
    .filter(([first]) => !('$listSearchIndexes' in first!));
const getTexts = (found: { chunk: { text: string } }[]) => found.map(({ chunk }) => chunk.text);

describe('search that MongoDB Atlas carries', () => {
  it('asks for both arms with one request, in which the store weighs rare words higher', async () => {
    const store = await openFilled();
    const before = (await listSearches()).length;
    const found = await store.search({ dense, sparse });
    const searches = await listSearches();
    expect(searches).toHaveLength(before + 1);
    expect(searches.at(-1)!.map((stage) => Object.keys(stage)[0])).toEqual([
      ...['$vectorSearch', '$project', '$unionWith'],
    ]);
    expect(found.dense.map(({ score }) => score)).toEqual([1, 1, 1].map((one) => expect.closeTo(one, 5)));
    expect(getTexts(found.sparse)).toEqual(['common rare', 'common', 'common', 'common']);
    expect(found.sparse[0]!.score).toBeGreaterThan(2 * found.sparse[1]!.score);
    expect(await store.search({ sparse })).toEqual({ dense: [], sparse: found.sparse });
    expect(await store.search({ dense })).toEqual({ dense: found.dense, sparse: [] });
  });

  it('returns everything that a record has', async () => {
    const store = open();
    await store.ensure(8);
    const { vector, analysed, meanLength, ...record } = toNewRecord('a\0b \ud800 walrus', 0);
    const written = {
      ...record,
      keywords: 'sea',
      chunk: { ...record.chunk, metadata: { $where: 1.5, list: ['x'] } },
    };
    await store.write([{ ...written, vector, analysed, meanLength }]);
    const weights = toWeights(['en:walrus', 1]);
    const found = await store.search({ sparse: { weights, topK: 1 } });
    expect(found.sparse).toEqual([{ ...written, score: expect.any(Number) }]);
    expect(await store.find('node 0')).toEqual([written]);
    expect(await store.list({ documentId: '0', version: 1, from: 0, limit: 9 })).toEqual([written]);
    expect(await store.list({ documentId: '0', version: 1, from: 1, limit: 9 })).toEqual([]);
    expect(await store.list({ documentId: '0', version: 2, from: 0, limit: 9 })).toEqual([]);
  });

  it('adds stop words to the scores of chunks that another word finds', async () => {
    const store = await openFilled();
    const ranking = new Map([['en:common', 1]]);
    const weights = { finding: new Map([['en:rare', 1]]), ranking };
    const { sparse: found } = await store.search({ sparse: { weights, topK: 4 } });
    const alone = await store.search({ sparse: { weights: toWeights(['en:rare', 1]), topK: 4 } });
    expect(getTexts(found)).toEqual(['common rare']);
    expect(found[0]!.score).toBeGreaterThan(alone.sparse[0]!.score);
    const onlyRanking = { finding: new Map([['en:rare', 0]]), ranking };
    expect(await store.search({ sparse: { weights: onlyRanking, topK: 4 } })).toEqual({
      dense: [],
      sparse: [],
    });
  });

  it('filters both arms by metadata and by index', async () => {
    const store = await openFilled();
    await openFilled({}, 'other');
    const added = toNewRecord('common', 9);
    const tagged = {
      ...added,
      chunk: { ...added.chunk, metadata: { year: 2024, tags: ['a', 'b'], done: true } },
    };
    await store.write([tagged]);
    const count = async (preFilter: Parameters<MongoChunkStore['search']>[0]['preFilter']) => {
      const found = await store.search({
        ...{ dense: { ...dense, topK: 99 }, sparse: { ...sparse, topK: 99 } },
        ...(preFilter && { preFilter }),
      });
      return [found.dense.length, found.sparse.length];
    };
    expect(await count(undefined)).toEqual([5, 5]);
    expect(await count({ key: 'year', oneOf: [2023, 2024] })).toEqual([1, 1]);
    expect(await count({ key: 'year', oneOf: ['2024'] })).toEqual([0, 0]);
    const [isA, isC] = [
      { key: 'tags', oneOf: ['a'] },
      { key: 'tags', oneOf: ['c'] },
    ];
    expect(await count({ any: [isA, isC] })).toEqual([1, 1]);
    expect(await count({ all: [isA, isC] })).toEqual([0, 0]);
    expect(await count({ all: [isA, { key: 'done', oneOf: ['true', true] }] })).toEqual([1, 1]);
    const many = Array.from({ length: 201 }, (_, at) => at);
    expect(await count({ key: 'year', oneOf: many })).toEqual([0, 5]);
    expect([store.isFilterable('year', 'oneOf'), store.isFilterable('year', 'range')]).toEqual([true, false]);
  });

  it('sends no more words than a query may have', async () => {
    const store = await openFilled();
    const terms = Array.from({ length: 1_200 }, (_, at): [string, number] => [`en:w${at}`, 1]);
    const weights = toWeights(...terms, ['en:rare', 2]);
    weights.ranking = new Map(terms);
    expect(getTexts((await store.search({ sparse: { weights, topK: 4 } })).sparse)).toEqual(['common rare']);
  });

  it('stores a chunk without vector if its vector has no direction', async () => {
    const store = open();
    await store.ensure(8);
    await store.write([{ ...toNewRecord('common', 0), vector: new Float32Array(8) }]);
    const found = await store.search({ dense, sparse });
    expect([found.dense.length, found.sparse.length]).toEqual([0, 1]);
    const none = await store.search({ dense: { vector: new Float32Array(8), topK: 3 } });
    expect(none).toEqual({ dense: [], sparse: [] });
  });

  it('waits until searches find what was written', async () => {
    await session.plan({ unseen: 2 });
    const store = await openFilled();
    expect(await listSearches()).toHaveLength(3);
    expect((await store.search({ sparse })).sparse).toHaveLength(4);
  });

  it('changes existing records only', async () => {
    const store = await openFilled();
    const [first] = (await store.search({ sparse: { ...sparse, topK: 1 } })).sparse;
    const { analysed, meanLength } = toNewRecord('walrus', 0);
    const change = { ...first!, chunk: { ...first!.chunk, title: 'New' }, analysed, meanLength };
    await store.update([change, { ...change, rowId: crypto.randomUUID() }]);
    await open({}, 'other').update([{ ...change, keywords: 'other' }]);
    const found = await store.search({
      ...{ dense: { ...dense, topK: 9 }, sparse: { weights: toWeights(['en:walrus', 1]), topK: 9 } },
    });
    expect(found.dense).toHaveLength(4);
    expect(found.sparse.map(({ chunk, keywords }) => [chunk.title, keywords])).toEqual([['New', '']]);
  });

  it('leaves out documents with invalid fields', async () => {
    const store = await openFilled();
    const invalid = { ...toNewRecord('common', 5), version: 'three' as never };
    await store.write([invalid]);
    const vectors = new MongoStore(buildSettings({ native_search: false }), { ...deps, indexId: 'index' });
    await vectors.upsert([toVectorPoint({}, 1)]);
    const topK = 9;
    const found = await store.search({ dense: { ...dense, topK }, sparse: { ...sparse, topK } });
    expect([found.dense.length, found.sparse.length]).toEqual([4, 4]);
    expect(await store.list({ documentId: '5', version: 'three' as never, from: 0, limit: 9 })).toEqual([]);
  });

  it('shares a collection, and an index of vectors, with the other mode', async () => {
    const store = await openFilled();
    const settings = buildSettings({ native_search: false });
    const vectors = new MongoStore(settings, { ...deps, indexId: 'vectors' });
    await vectors.ensure(8);
    await vectors.upsert([toVectorPoint({}, 1)]);
    expect(await vectors.query(toDirection('x'), 9)).toHaveLength(1);
    await vectors.drop();
    expect((await store.search({ dense: { ...dense, topK: 9 } })).dense).toHaveLength(4);
  });
});

describe('index for a search that MongoDB Atlas carries', () => {
  const check = (changes: object = {}) => mongodb.check(buildSettings(changes), deps);
  const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

  it('is rejected if it was made for the other mode', async () => {
    const names = { native_search: false, vector_index_name: 'v', fulltext_index_name: 'f' };
    await new MongoStore(buildSettings(names), { ...deps, indexId: 'vectors' }).ensure(8);
    const texts = { fulltext_index_name: 'f' };
    await expect(open(texts).ensure(8)).rejects.toThrow(
      'The index f (fulltext_index_name) has no field words',
    );
    await expect(check(texts)).rejects.toMatchObject(naming('fulltext_index_name'));
    const vectors = { vector_index_name: 'v' };
    await expect(open(vectors).ensure(8)).rejects.toThrow(
      'The index v (vector_index_name) has no filter field row_id',
    );
    await expect(check(vectors)).rejects.toMatchObject(naming('vector_index_name'));
    await openFilled();
    await check();
  });

  it('must be ready before anything is written', async () => {
    await session.plan({ building: 1000 });
    await expect(open().ensure(8)).rejects.toMatchObject({ retryable: true });
    await session.plan({ building: 2 });
    await open({ vector_index_name: 'v', fulltext_index_name: 'f' }).ensure(8);
  });
});
