import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { describeMismatch } from '#src/sinks/mongodb/index-layout.ts';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { MongoStore } from '#src/sinks/mongodb/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { MongoSession, PASSWORD } from '#test/vendors/mongodb/client.ts';

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
  mongodb.settings.parse({ db_uri: session.uri(), db_name: session.name, collection_name: 'c', ...changes });
const open = (changes: object = {}, indexId = 'index') =>
  new MongoStore(buildSettings(changes), { ...deps, indexId });
const points = (documentId = 'a', texts = ['walrus'], metadata = {}, indexId = 'index') =>
  toPoints(
    indexId,
    document(documentId, 3, { title: 'Annual report', metadata }),
    chunks(documentId, 3, texts).map((chunk) => ({ ...chunk, startPage: 4 })),
  );
const commands = async (name: string) => (await session.state()).seen.filter((command) => name in command);

describe('MongoDB sink', () => {
  it('stores each vector with its fields', async () => {
    await open().ensure(8);
    const metadata = Object.fromEntries([
      ...[
        ['year', 2024],
        ['$where', 'x'],
        ['a.b', 1],
        ['_bsontype', 'ObjectId'],
        ['__proto__', 'y'],
        ['z\0', null],
      ],
    ]);
    await open().upsert(await points('a', ['walrus'], metadata));
    const [sent] = await commands('update');
    const [{ u, upsert, q }] = sent!.updates as [Record<string, Record<string, unknown>>];
    expect([upsert, q]).toEqual([true, { _id: u!._id }]);
    expect(u).toMatchObject({
      ...{ sluice_index: 'index', document_id: 'a', version: 3, position: 0, node_id: 'a/3/0' },
      ...{ title: 'Annual report', text: 'walrus', pages: { page_label: 5 } },
      embedding: expect.any(String),
    });
    const names = Object.keys(u!.metadata as object).sort();
    expect(names).toEqual(['__proto__', '_bsontype', 'a.b', 'year', 'z␀', '＄where'].sort());
  });

  it('creates the collection and its indexes once for concurrent calls', async () => {
    const names = { vector_index_name: 'of vectors', fulltext_index_name: 'of words' };
    const store = open(names);
    await Promise.all([store.ensure(8), open(names).ensure(8)]);
    await store.ensure(8);
    const made = (await commands('createSearchIndexes')).flatMap(({ indexes }) => indexes as object[]);
    const vectors = {
      ...{ name: 'of vectors', type: 'vectorSearch' },
      definition: {
        fields: [
          { type: 'vector', path: 'embedding', numDimensions: 8, similarity: 'cosine' },
          { type: 'filter', path: 'sluice_index' },
          { type: 'filter', path: 'document_id' },
        ],
      },
    };
    expect(made).toEqual(expect.arrayContaining([vectors]));
    expect(made).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'of words', type: 'search' })]),
    );
    await store.upsert(await points());
    expect(await store.query(toDirection('walrus'), 5)).toMatchObject([{ documentId: 'a', position: 0 }]);
  });

  it('creates no full-text index if none is named', async () => {
    await open().ensure(8);
    const made = (await commands('createSearchIndexes')).flatMap(({ indexes }) => indexes as object[]);
    expect(made).toMatchObject([{ name: 'vector_index' }]);
  });

  it('waits until the index can be searched', async () => {
    await session.plan({ building: 2 });
    await open().ensure(8);
    expect(await open().query(toDirection('x'), 1)).toEqual([]);
  });

  it('returns a retryable error if the index takes long to build', async () => {
    await session.plan({ building: 1000 });
    await expect(open().ensure(8)).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: true, retryAfter: 15 },
      message: expect.stringMatching(/vector_index.*being built \(BUILDING\)/),
    });
    await expect(open().query(toDirection('x'), 1)).rejects.toMatchObject({ retryable: true });
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    const naming = (pattern: RegExp) => ({ retryable: false, message: expect.stringMatching(pattern) });
    await expect(open().ensure(16)).rejects.toMatchObject(naming(/vector_index_name.* 8 dimensions.* 16/));
    const declared = open({ embedding_dimension: 24 }).ensure(16);
    await expect(declared).rejects.toMatchObject(naming(/embedding_dimension is 24.* 16/));
    await open({ embedding_dimension: 8 }).ensure(8);
  });

  it('returns cosine similarity for the requested number of points', async () => {
    const store = open();
    await store.ensure(8);
    const [one] = await points('one');
    await store.upsert([
      one!,
      { ...one!, id: 'opposite', documentId: 'two', vector: one!.vector.map((x) => -x) },
    ]);
    const [first, last] = await store.query(one!.vector, 10_000);
    expect(first).toMatchObject({ documentId: 'one', score: expect.closeTo(1, 5) });
    expect(last).toMatchObject({ documentId: 'two', score: expect.closeTo(-1, 5) });
    expect(await store.query(one!.vector, 1)).toHaveLength(1);
    expect(await store.query(one!.vector, 9, { documentIds: ['two'] })).toMatchObject([
      { documentId: 'two' },
    ]);
  });

  it('skips documents with invalid fields', async () => {
    const store = open();
    await store.ensure(8);
    const [mine] = await points();
    await store.upsert([mine!, { ...mine!, id: crypto.randomUUID(), version: 'three' as never }]);
    expect(await store.query(toDirection('walrus'), 5)).toMatchObject([{ documentId: 'a', version: 3 }]);
  });

  it('removes versions up to one and keeps points of other indexes', async () => {
    const [store, other] = [open(), open({}, 'other')];
    await store.ensure(8);
    await store.upsert(await points());
    await other.upsert(await points('a', ['walrus'], {}, 'other'));
    await store.remove([{ documentId: 'a', version: 2 }]);
    expect(await store.query(toDirection('x'), 5)).toHaveLength(1);
    await store.remove([{ documentId: 'a', version: 3 }]);
    expect(await store.query(toDirection('x'), 5)).toEqual([]);
    await store.drop();
    expect(await other.query(toDirection('x'), 5)).toHaveLength(1);
  });

  it('updates all points of a document', async () => {
    const store = open();
    await store.ensure(8);
    await store.upsert(await points('a', ['one', 'two']));
    await store.describe({ documentId: 'a', title: 'new', metadata: { $set: 1 } });
    const [, sent] = await commands('update');
    expect(sent!.updates).toMatchObject([
      { multi: true, u: { $set: { title: 'new', metadata: { '＄set': 1 } } } },
    ]);
    expect(await store.query(toDirection('one'), 5)).toHaveLength(2);
  });
});

describe('existing index', () => {
  const listed = (changes: object = {}, fields: object[] = []) => [
    {
      ...{ name: 'v', type: 'vectorSearch', status: 'READY', queryable: true },
      latestDefinition: {
        fields: [
          { type: 'vector', path: 'embedding', numDimensions: 8, similarity: 'cosine', ...fields[0] },
          { type: 'filter', path: 'sluice_index' },
          { type: 'filter', path: 'document_id', ...fields[1] },
        ],
      },
      ...changes,
    },
  ];

  it('matches if it has the required fields', () => {
    expect(describeMismatch(listed(), { vector: 'v' }, 8)).toBeUndefined();
    expect(describeMismatch(listed(), { vector: 'another' }, 9)).toBeUndefined();
  });

  it.each<[string, ReturnType<typeof listed>, string]>([
    ['of another type', listed({ type: 'search' }), 'type search'],
    ['without vectors', listed({}, [{ path: 'vector' }]), 'no vector field embedding'],
    ['that compares otherwise', listed({}, [{ similarity: 'dotProduct' }]), 'dotProduct'],
    ['without a filter', listed({}, [{}, { path: 'other' }]), 'document_id'],
    ['that could not be built', listed({ status: 'FAILED' }), 'could not be built'],
  ])('%s is rejected', (_, all, word) => {
    expect(describeMismatch(all, { vector: 'v' }, 8)).toContain(word);
  });

  it('for full text must have the search type', () => {
    expect(describeMismatch(listed(), { vector: 'another', text: 'v' })).toContain('fulltext_index_name');
  });
});

describe('check', () => {
  const check = (changes: object = {}, dimension?: number) =>
    mongodb.check(buildSettings(changes), deps, dimension);
  const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

  it('passes with and without a collection', async () => {
    await check();
    await open().ensure(8);
    await check();
  });

  it('names the wrong setting', async () => {
    const wrong = session.uri().replace(PASSWORD, 'wrong');
    await expect(check({ db_uri: wrong })).rejects.toMatchObject(naming('db_uri'));
    await expect(check({ db_uri: session.uri('proxyHost=x') })).rejects.toMatchObject(naming('db_uri'));
    await expect(check({ db_name: 'a b' })).rejects.toMatchObject(naming('db_name'));
    await expect(check({ collection_name: '' })).rejects.toMatchObject(naming('collection_name'));
    await expect(check({ collection_name: 'system.users' })).rejects.toMatchObject(naming('collection_name'));
    const same = { vector_index_name: 'x', fulltext_index_name: 'x' };
    await expect(check(same)).rejects.toMatchObject(naming('fulltext_index_name'));
    await open().ensure(8);
    await expect(check({ embedding_dimension: 9 })).rejects.toMatchObject(naming('vector_index_name'));
    await check({}, 8);
    await expect(check({}, 9)).rejects.toMatchObject(naming('vector_index_name'));
    await expect(check({ embedding_dimension: 8 }, 9)).rejects.toMatchObject(naming('embedding_dimension'));
    const words = { vector_index_name: 'other', fulltext_index_name: 'vector_index' };
    await expect(check(words)).rejects.toMatchObject(naming('fulltext_index_name'));
  });

  it('is retryable if the store is unreachable', async () => {
    await expect(check({ db_uri: 'mongodb://127.0.0.1:1/' })).rejects.toMatchObject({
      name: 'SinkError',
      retryable: true,
    });
  });
});
