import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { getFrequencyShare } from '#src/search/term-weights.ts';
import type { NewRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantChunkStore } from '#src/sinks/qdrant/search/chunk-store.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const buildSettings = (changes: object = {}) =>
  qdrant.settings.parse({
    ...{ api_key: 'key-of-the-vendor', collection_name: 'c', url: 'https://vectors.test' },
    ...{ max_retries: 0, native_search: true },
    ...changes,
  });
const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const open = (indexId = 'index') => createQdrantChunkStore(buildSettings(), { ...deps, indexId });
const openDense = () =>
  createQdrantStore(buildSettings({ native_search: false }), { ...deps, indexId: 'dense' });

/** Returns a chunk with these words, each once. */
function createRecord(words: string[], changes: Partial<NewRecord['chunk']> = {}): NewRecord {
  const chunk = {
    ...{ id: crypto.randomUUID(), documentId: 'a', position: 0, text: words.join(' '), title: 'a' },
    ...{ headings: [], startChar: 0, endChar: 1, hash: 'h', metadata: {}, ...changes },
  };
  const terms = words.map((word) => `en:${word}`);
  return {
    ...{ rowId: crypto.randomUUID(), version: 1, keywords: '', length: words.length, chunk },
    ...{ meanLength: 2, vector: toDirection(chunk.text) },
    analysed: { language: 'en', terms, frequencies: terms.map(() => 1), length: words.length },
  };
}

async function write(texts: string[], indexId?: string): Promise<NewRecord[]> {
  const store = open(indexId);
  await store.ensure(8);
  const records = texts.map((text, position) => createRecord(text.split(' '), { position }));
  await store.write(records);
  return records;
}

const weigh = (finding: string[], ranking: string[] = []) => ({
  finding: new Map(finding.map((word) => [`en:${word}`, 1])),
  ranking: new Map(ranking.map((word) => [`en:${word}`, 0.1])),
});

async function findWords(finding: string[], ranking: string[] = [], topK = 10) {
  const weights = weigh(finding, ranking);
  return (await open().search({ sparse: { weights, topK } })).sparse;
}

const getIdf = (chunks: number, containing: number) =>
  Math.log(1 + (chunks - containing + 0.5) / (containing + 0.5));

describe('search in Qdrant', () => {
  const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });
  const listSent = async (ending: string) =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation?.endsWith(ending));

  it('sends both arms in one request, in which Qdrant multiplies by the inverse document frequency', async () => {
    await write(['walrus ice', 'walrus the', 'seal the', 'seal']);
    await write(['walrus', 'walrus the', 'walrus'], 'other');
    const before = (await vendors.current.state()).seen.length;
    const sparse = { weights: weigh(['walrus', 'ice'], ['the']), topK: 10 };
    const found = await open().search({ dense: { vector: toDirection('seal'), topK: 3 }, sparse });
    expect((await vendors.current.state()).seen).toHaveLength(before + 1);

    expect(found.dense).toHaveLength(3);
    expect(found.dense[0]).toMatchObject({ score: expect.closeTo(1, 4), chunk: { text: 'seal' } });
    const share = getFrequencyShare(1, 2, 2);
    // Chunks of the other index do not count.
    const [walrus, ice, the] = [getIdf(4, 2), getIdf(4, 1), 0.1 * getIdf(4, 2)];
    expect(found.sparse.map(({ chunk, score }) => [chunk.text, score])).toEqual([
      ['walrus ice', expect.closeTo(share * (walrus + ice), 4)],
      ['walrus the', expect.closeTo(share * (walrus + the), 4)],
    ]);
    const [sent] = await listSent('/query/batch');
    const corpus = { must: [{ key: 'sluice_index', match: { value: 'index' } }] };
    expect(sent!.body).toMatchObject({
      searches: [
        { limit: 3 },
        { prefetch: { params: { idf: { corpus } } }, params: { idf: { corpus } }, using: 'words' },
      ],
    });
  });

  it('ranks chunks by stop words, which do not select chunks', async () => {
    await write(['the of', 'walrus ice', 'walrus the']);
    expect((await findWords(['walrus'], ['the', 'of'])).map(({ chunk }) => chunk.text)).toEqual([
      'walrus the',
      'walrus ice',
    ]);
    expect((await findWords(['walrus'], ['the'], 1)).map(({ chunk }) => chunk.text)).toEqual(['walrus the']);
    expect(await findWords(['absent'], ['the'])).toEqual([]);
  });

  it('answers a question with hundreds of words', async () => {
    const words = Array.from({ length: 3_000 }, (_, at) => `berth${at}`);
    await write([words.join(' '), 'walrus']);
    const found = await findWords(words.slice(0, 768), words.slice(1_000, 1_100));
    expect(found.map(({ chunk }) => chunk.position)).toEqual([0]);
  });

  it('evaluates the pre-filter in both arms', async () => {
    const store = open();
    await store.ensure(8);
    const create = (year: number) => createRecord(['walrus'], { metadata: { year } });
    await store.write([create(2023), create(2024)]);
    const sparse = { weights: weigh(['walrus'], ['the']), topK: 5 };
    const dense = { vector: toDirection('walrus'), topK: 5 };
    const found = await store.search({ dense, sparse, preFilter: { key: 'year', oneOf: [2024] } });
    for (const arm of [found.dense, found.sparse])
      expect(arm.map(({ chunk }) => chunk.metadata)).toEqual([{ year: 2024 }]);
  });

  it('leaves out points that it cannot read', async () => {
    await write(['walrus', 'seal']);
    await fetch('https://vectors.test:6333/collections/c/points?wait=true', {
      method: 'PUT',
      headers: { 'api-key': 'key-of-the-vendor', 'content-type': 'application/json' },
      body: JSON.stringify({
        points: [
          {
            id: crypto.randomUUID(),
            vector: [...toDirection('walrus')],
            payload: { sluice_index: 'index', document_id: 'a', version: 1, position: 2 },
          },
        ],
      }),
    });
    const found = await open().search({ dense: { vector: toDirection('walrus'), topK: 5 } });
    expect(found.dense.map(({ chunk }) => chunk.text)).toEqual(['walrus', 'seal']);
    const listed = await open().list({ documentId: 'a', version: 1, from: 0, limit: 5 });
    expect(listed).toHaveLength(2);
  });

  it.each([
    ['fewer results than searches', '{"result":[]}'],
    ['a score that is no number', '{"result":[{"points":[{"id":"a","score":null}]}]}'],
    ['another shape', '{"result":{"points":[]}}'],
  ])('rejects an answer with %s', async (_, body) => {
    await vendors.current.fail({ kind: 'body', body });
    await expect(findWords(['walrus'])).rejects.toMatchObject({ name: 'SinkError', retryable: false });
  });

  it('lists the chunks of one version by position, and finds chunks by node id', async () => {
    const store = open();
    await store.ensure(8);
    const records = [2, 0, 1, 3].map((position) =>
      createRecord(['walrus'], { position, id: `n${position}` }),
    );
    const others = [
      ...[0, 2].map((version) => ({ ...createRecord(['walrus'], { position: 1, id: 'n1' }), version })),
      createRecord(['walrus'], { position: 1, documentId: 'b' }),
    ];
    await store.write([...records, ...others]);
    const listed = await store.list({ documentId: 'a', version: 1, from: 1, limit: 2 });
    expect(listed.map(({ chunk }) => chunk.id)).toEqual(['n1', 'n2']);
    const { vector, analysed, meanLength, ...first } = records[2]!;
    expect(listed[0]).toEqual(first);
    const found = await store.find('n1');
    expect(found.map(({ version }) => version).sort()).toEqual([0, 1, 2]);
  });

  it('changes title, metadata and words of the chunks that exist', async () => {
    const [one, other] = await write(['walrus', 'seal']);
    const change = ({ vector: _, ...record }: NewRecord, title: string) => ({
      ...record,
      chunk: { ...record.chunk, title, metadata: { year: 2024 } },
      analysed: createRecord([record.chunk.text, title]).analysed,
    });
    const unknown = createRecord(['gull']);
    await open().update([change(one!, 'ice'), change(other!, 'snow'), change(unknown, 'ice')]);
    const [found, ...others] = await findWords(['ice']);
    expect(others).toEqual([]);
    expect(found!.chunk).toEqual({ ...one!.chunk, title: 'ice', metadata: { year: 2024 } });
    expect(await open().lookUp([unknown.rowId])).toEqual(new Set());
    const dense = { vector: toDirection('walrus'), topK: 1 };
    const preFilter = { key: 'year', oneOf: [2024] };
    const near = (await open().search({ dense, preFilter })).dense[0];
    expect(near).toMatchObject({ score: expect.closeTo(1, 4), chunk: { text: 'walrus' } });
    // The vectors of the embedding model are not written again.
    const [sent] = await listSent('/points/batch');
    const { operations } = sent!.body as {
      operations: { update_vectors?: { points: { vector: object }[] } }[];
    };
    const vectors = operations.flatMap(({ update_vectors }) => update_vectors?.points ?? []);
    expect(vectors.map(({ vector }) => Object.keys(vector))).toEqual([['words'], ['words']]);
  });

  it('changes the other chunks if one is deleted at the same time', async () => {
    const [one, other] = await write(['walrus', 'seal']);
    const changed = [one!, other!].map((record) => ({ ...record, chunk: { ...record.chunk, title: 'ice' } }));
    const notFound = {
      kind: 'status',
      status: 404,
      on: 'POST /collections/{collection_name}/points/batch',
    } as const;
    await vendors.current.fail(notFound);
    await open().update(changed);
    const listed = await open().list({ documentId: 'a', version: 1, from: 0, limit: 5 });
    expect(listed.map(({ chunk }) => chunk.title)).toEqual(['ice', 'ice']);
    await vendors.current.fail(...Array.from({ length: 8 }, () => notFound));
    await expect(open().update(changed)).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });
});

describe('collection of a search in Qdrant', () => {
  const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });
  const check = (changes: object = {}) => qdrant.check(buildSettings(changes), { ...deps }, 8);

  it('has words with the modifier idf, and an index for each field that is compared', async () => {
    await Promise.all([open().ensure(8), open('other').ensure(8)]);
    const { seen } = await vendors.current.state();
    const made = seen.find(({ method, url }) => method === 'PUT' && url.endsWith('/collections/c'));
    expect(made!.body).toEqual({
      vectors: { size: 8, distance: 'Cosine' },
      sparse_vectors: { words: { modifier: 'idf' } },
    });
    const fields = seen.flatMap(({ body }) => (body as { field_name?: string })?.field_name ?? []);
    expect([...new Set(fields)].sort()).toEqual([
      ...['document_id', 'metadata_values', 'node_id', 'position', 'sluice_index', 'version'],
    ]);
    await check();
  });

  it('may be shared with an index of vectors only', async () => {
    await open().ensure(8);
    await openDense().ensure(8);
    await check({ native_search: false });
  });

  it('is refused with the names of the settings if it was made for vectors only', async () => {
    await openDense().ensure(8);
    const message = expect.stringMatching(/collection_name.*native_search/);
    await expect(open().ensure(8)).rejects.toMatchObject({ name: 'SinkError', retryable: false, message });
    await expect(check()).rejects.toMatchObject({
      issues: [{ loc: ['body', 'component', 'collection_name'] }],
      message,
    });
  });
});
