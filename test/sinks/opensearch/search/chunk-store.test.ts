import { describe, expect, it } from 'vitest';
import type { IndexedDocument } from '#src/ports/index-types.ts';
import type { ChunkSearch, NewRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { toNewRecords } from '#src/sinks/native/ledger/records.ts';
import { analyseWithTitle } from '#src/sinks/native/lexical.ts';
import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchChunkStore } from '#src/sinks/opensearch/search/chunk-store.ts';
import { chunks, document, toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { skipWaits } from '#test/support/skipped-waits.ts';
import { useVendors } from '#test/vendors/client.ts';
import { buildComponent, buildDeps, openStore, PRODUCTS } from '../stores.ts';

const BULK = 'POST /{index}/_bulk';
const SEVERAL = 'POST /{index}/_msearch';
const COMPONENT = { native_search: true };

const openChunks = (product: { base: string }, changes: object = {}, indexId = 'index') =>
  new OpenSearchChunkStore(
    opensearch.settings.parse(buildComponent(product, { ...COMPONENT, ...changes })),
    buildDeps(indexId),
  );

function toRecords(of: IndexedDocument, texts: string[], rest: object = {}): NewRecord[] {
  const prepared = chunks(of.documentId, of.version, texts).map((chunk) => ({
    ...chunk,
    ...rest,
    rowId: crypto.randomUUID(),
    analysed: analyseWithTitle(chunk, of.title),
  }));
  return toNewRecords(of, prepared).map((record) => ({ ...record, meanLength: 1 }));
}

const words = (finding: Record<string, number>, ranking: Record<string, number> = {}) => ({
  topK: 20,
  weights: { finding: new Map(Object.entries(finding)), ranking: new Map(Object.entries(ranking)) },
});
const idsOf = (found: { chunk: { id: string } }[]) => found.map(({ chunk }) => chunk.id);

describe.each(PRODUCTS)('$name with whole chunks', (product) => {
  const vendors = useVendors(product);
  const seenOf = async (operation: string) =>
    (await vendors.current.state()).seen.filter((each) => each.operation === operation);
  const readLines = (body: unknown) =>
    String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  async function holding(texts: string[], of = document('a', 1, { title: '' })) {
    const store = openChunks(product);
    await store.ensure(8);
    await store.write(toRecords(of, texts));
    return store;
  }

  it('sends both arms in one request, and returns whole chunks with the score of each arm', async () => {
    const store = await holding(
      ['walrus', 'seal'],
      document('a', 3, { title: 'Report', metadata: { year: 1 } }),
    );
    const before = (await vendors.current.state()).seen.length;
    const search: ChunkSearch = {
      dense: { vector: toDirection('walrus'), topK: 2 },
      sparse: words({ 'en:walru': 1, 'en:walrus': 1 }),
    };
    const { dense, sparse } = await store.search(search);
    expect((await vendors.current.state()).seen).toHaveLength(before + 1);
    expect(idsOf(dense)).toEqual(['a/3/0', 'a/3/1']);
    expect(dense[0]).toMatchObject({
      ...{ version: 3, keywords: '', length: 1, score: expect.closeTo(1, 4) },
      chunk: { documentId: 'a', text: 'walrus', title: 'Report', metadata: { year: 1 }, language: 'en' },
    });
    expect(idsOf(sparse)).toEqual(['a/3/0']);
    const [sent] = await seenOf(SEVERAL);
    expect(readLines(sent!.body)).toMatchObject([
      { allow_partial_search_results: false },
      { size: 2, _source: { includes: ['record'] } },
      { allow_partial_search_results: false, search_type: 'dfs_query_then_fetch' },
      { size: 20, _source: { includes: ['record'] } },
    ]);
  });

  it('multiplies weights by the inverse document frequency, which the product knows', async () => {
    const store = await holding(['rare common', 'common', 'common', 'other']);
    const find = async (finding: Record<string, number>) =>
      (await store.search({ sparse: words(finding) })).sparse;
    const [rare] = await find({ 'en:rare': 1 });
    const common = await find({ 'en:common': 1 });
    expect(idsOf(common)).toHaveLength(3);
    const score = common.find(({ chunk }) => chunk.id === rare!.chunk.id)!.score;
    const idf = (having: number) => Math.log(1 + (4 - having + 0.5) / (having + 0.5));
    expect(rare!.score / score).toBeCloseTo(idf(1) / idf(3), 4);
    const [twice] = await find({ 'en:rare': 2 });
    expect(twice!.score).toBeCloseTo(2 * rare!.score, 4);
  });

  it('adds ranking terms only to chunks that a finding term selects', async () => {
    const store = await holding(['the walrus', 'walrus', 'the seal']);
    const [finding, ranking] = [{ 'en:walrus': 1 }, { 'en:the': 0.1 }];
    const plain = (await store.search({ sparse: words(finding) })).sparse;
    const ranked = (await store.search({ sparse: words(finding, ranking) })).sparse;
    expect(idsOf(plain)).toEqual(['a/1/1', 'a/1/0']);
    expect(idsOf(ranked).sort()).toEqual(['a/1/0', 'a/1/1']);
    const scoreOf = (found: typeof plain) => found.find(({ chunk }) => chunk.id === 'a/1/0')!.score;
    expect(scoreOf(ranked)).toBeGreaterThan(scoreOf(plain));
  });

  it('asks for more words than a query may have without an error', async () => {
    const store = await holding(['walrus']);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`en:word${at}`, 0.5]));
    const preFilter = { all: Array.from({ length: 900 }, (_, at) => ({ key: `key ${at}`, least: 0 })) };
    const sparse = words({ ...many, 'en:walrus': 1 });
    expect(idsOf((await store.search({ sparse })).sparse)).toEqual(['a/1/0']);
    // Such a filter leaves no room for words, so only Sluice applies it.
    expect(idsOf((await store.search({ sparse, preFilter })).sparse)).toEqual(['a/1/0']);
  });

  it('stores every term as often as it occurs, and texts of any content and length', async () => {
    const text = `a\0b \ud800 ${'x'.repeat(40_000)}`;
    const metadata = Object.fromEntries([
      ['__proto__', 1],
      ['note', '\udfff'],
    ]);
    const of = document('a', 1, { title: 'Walrus', metadata });
    const store = openChunks(product);
    await store.ensure(8);
    const [record] = toRecords(of, ['walrus seal']);
    await store.write([{ ...record!, chunk: { ...record!.chunk, text, id: 'n'.repeat(500) } }]);
    const [sent] = await seenOf(BULK);
    expect(String(readLines(sent!.body)[1]!.words).split(' ').sort()).toEqual(
      ['en:seal', 'en:walrus', 'en:walrus', 'en:walrus'].sort(),
    );
    const listed = await store.list({ documentId: 'a', version: 1, from: 0, limit: 5 });
    expect(listed[0]!.chunk.text).toBe(text);
    expect(Object.entries(listed[0]!.chunk.metadata)).toEqual(Object.entries(metadata));
    expect(await store.find('n'.repeat(500))).toEqual(listed);
    expect(await store.find('n'.repeat(499))).toEqual([]);
  });

  it('changes title, metadata and words, and keeps the vector', async () => {
    const store = await holding(['walrus'], document('a', 1, { title: 'old', metadata: { year: 1 } }));
    const [stored] = await store.list({ documentId: 'a', version: 1, from: 0, limit: 1 });
    const { chunk, ...rest } = stored!;
    const changed = { ...chunk, title: 'new', metadata: { kind: 'book' } };
    const change = { ...rest, chunk: changed, analysed: analyseWithTitle(chunk, 'new'), meanLength: 1 };
    await store.update([change, { ...change, rowId: crypto.randomUUID() }]);
    const dense = { vector: toDirection('walrus'), topK: 5 };
    const find = (key: string) =>
      store.search({ dense, sparse: words({ 'en:new': 1 }), preFilter: { key, oneOf: ['book'] } });
    expect(await find('kind')).toMatchObject({
      dense: [{ score: expect.closeTo(1, 4), chunk: changed }],
      sparse: [{ chunk: changed }],
    });
    expect(await find('year')).toEqual({ dense: [], sparse: [] });
    expect((await store.search({ sparse: words({ 'en:old': 1 }) })).sparse).toEqual([]);
  });

  it('finds a chunk without a vector by its words only', async () => {
    const store = openChunks(product);
    await store.ensure(8);
    await store.write(toRecords(document('a'), ['walrus'], { vector: new Float32Array(8) }));
    const dense = { vector: new Float32Array(8), topK: 5 };
    expect(await store.search({ dense })).toEqual({ dense: [], sparse: [] });
    expect(await seenOf(SEVERAL)).toHaveLength(0);
    const { dense: near, sparse } = await store.search({ dense, sparse: words({ 'en:walrus': 1 }) });
    expect([near, idsOf(sparse)]).toEqual([[], ['a/1/0']]);
  });

  it('shares an index of the product with other indexes, of both modes', async () => {
    const points = openStore(product, {}, 'points');
    await points.ensure(8);
    const [mine, other] = [openChunks(product, {}, 'mine'), openChunks(product, {}, 'other')];
    for (const store of [mine, other]) {
      await store.ensure(8);
      await store.write(toRecords(document('a'), ['walrus']));
    }
    await points.upsert([toVectorPoint({}, 0)]);
    const search = { dense: { vector: toDirection('walrus'), topK: 9 }, sparse: words({ 'en:walrus': 1 }) };
    await mine.remove([{ documentId: 'a', version: 1 }]);
    expect(await mine.search(search)).toEqual({ dense: [], sparse: [] });
    await mine.drop();
    const kept = await other.search(search);
    expect([idsOf(kept.dense), idsOf(kept.sparse)]).toEqual([['a/1/0'], ['a/1/0']]);
    expect(await points.query(toDirection('0'), 9)).toHaveLength(1);
  });

  it('names the index that has another kind of words', async () => {
    const isOpenSearch = product.vendor === 'opensearch';
    const fields = {
      vector: isOpenSearch
        ? {
            type: 'knn_vector',
            dimension: 8,
            method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
          }
        : { type: 'dense_vector', dims: 8, similarity: 'cosine' },
      words: { type: 'text' },
    };
    const settings = isOpenSearch ? { index: { knn: true } } : {};
    await vendors.current.hold({ [product.vendor]: { index: { name: 'shared', settings, fields } } });
    await expect(openChunks(product).ensure(8)).rejects.toThrow('analyzer standard instead of whitespace');
    const check = (changes: object) =>
      opensearch.check(opensearch.settings.parse(buildComponent(product, changes)), buildDeps('index'), 8);
    await expect(check(COMPONENT)).rejects.toMatchObject({
      issues: [{ loc: ['body', 'component', 'index_name'] }],
    });
    await check({});
  });

  describe('with failures', () => {
    const search = { sparse: words({ 'en:walrus': 1 }) };

    it('repeats searches that failed because the cluster was busy', async () => {
      skipWaits();
      await holding(['walrus']);
      await vendors.current.fail({ kind: 'own', name: 'busy 429', on: SEVERAL });
      expect(idsOf((await openChunks(product, { max_retries: 1 }).search(search)).sparse)).toEqual(['a/1/0']);
      await vendors.current.fail({ kind: 'own', name: 'busy 429', on: SEVERAL });
      await expect(openChunks(product).search(search)).rejects.toMatchObject({
        ...{ name: 'SinkError', retryable: true, status: 429 },
        message: `${product.name} failed to search index shared with status 429: the queue is full`,
      });
    });

    it.each(['a part', 'lost results'])('rejects results that are not complete: %s', async (name) => {
      const store = await holding(['walrus']);
      await vendors.current.fail({ kind: 'own', name, on: SEVERAL });
      await expect(store.search(search)).rejects.toMatchObject({ name: 'SinkError', retryable: true });
    });

    it('reports a missing index and a vector of another dimension', async () => {
      await expect(openChunks(product).search(search)).rejects.toMatchObject({
        status: 404,
        retryable: false,
      });
      const store = await holding(['walrus']);
      const dense = { vector: toDirection('walrus', 16), topK: 3 };
      await expect(store.search({ dense, ...search })).rejects.toMatchObject({
        ...{ status: 400, retryable: false, message: expect.stringContaining('Expected: 8, Given: 16') },
      });
    });

    it('does not return documents that Sluice did not write', async () => {
      const store = await holding(['walrus', 'walrus seal']);
      const [first] = await store.list({ documentId: 'a', version: 1, from: 0, limit: 1 });
      const lines = [{ update: { _id: first!.rowId } }, { doc: { record: '{"version":1}' } }];
      await fetch(`${product.base}/shared/_bulk?refresh=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', authorization: 'ApiKey key-of-the-vendor' },
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      });
      expect(idsOf((await store.search(search)).sparse)).toEqual(['a/1/1']);
      await expect(store.list({ documentId: 'a', version: 1, from: 0, limit: 5 })).rejects.toThrow('format');
    });
  });
});

describe('cluster that forbids expensive queries', () => {
  const place = { base: 'https://cheap-chunks.test' };
  const settings = { password: 'password-of-the-vendor', allowsExpensive: false };
  const vendors = useVendors({ vendor: 'opensearch', ...place, settings });

  it('is searched without ranges', async () => {
    const store = openChunks(place);
    await store.ensure(8);
    await store.write(toRecords(document('a', 1, { metadata: { year: 1 } }), ['walrus']));
    const search = { sparse: words({ 'en:walrus': 1 }), preFilter: { key: 'year', least: 2 } };
    for (const opened of [store, openChunks(place)]) {
      expect(idsOf((await opened.search(search)).sparse)).toEqual(['a/1/0']);
    }
    const sent = (await vendors.current.state()).seen.filter((each) => each.operation === SEVERAL);
    expect(sent.map(({ body }) => String(body).includes('metadata_numbers'))).toEqual([true, false, false]);
  });
});
