import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { readSettings } from '#src/settings/settings.ts';
import { call } from '#test/support/client.ts';
import {
  addFiles,
  createPipeline,
  type RetrievedNode,
  retrieve,
  statusOf,
  sync,
} from '#test/support/pipelines.ts';
import { useVendors } from '#test/vendors/client.ts';
import { LOSSES } from '#test/vendors/losses.ts';

const vendors = useVendors({ vendor: 'qdrant', base: 'https://93.184.215.14:6333' });
const LOOK_UP = 'POST /collections/{collection_name}/points';
const QUERY = 'POST /collections/{collection_name}/points/query';
const UPSERT = 'PUT /collections/{collection_name}/points';

const settings = readSettings(env);
const { SILENCE_SECONDS } = settings;
afterEach(() => {
  settings.SILENCE_SECONDS = SILENCE_SECONDS;
});

const TEXTS = {
  'gull.txt': 'The gull eats herring.',
  'seal.txt': 'The seal sleeps on ice.',
  'crab.txt': 'The crab walks sideways.',
  'whale.txt': 'The whale sings at night.',
};

const NEW = 'The tern dives for sprat.';

async function syncedPipeline(files: Record<string, string> = TEXTS) {
  const component = {
    ...{ api_key: 'key-of-the-vendor', url: 'https://93.184.215.14', max_retries: 0 },
    collection_name: crypto.randomUUID(),
  };
  const body = { name: crypto.randomUUID(), sink_type: 'VENDOR_G', component };
  const sink = (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
  const id = await createPipeline({ data_sink_id: sink });
  await addFiles(id, files);
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
  return { id, sink };
}

async function validate(sink: string) {
  return (await call<{ success: boolean; message: string }>('POST', `/api/v1/data-sinks/${sink}/validate`))
    .body;
}

const byVectors = { alpha: 1, enable_reranking: false, dense_similarity_top_k: 10 };
const nearest = async (id: string, query: string) => (await retrieve(id, query, byVectors))[0]?.node.text;
const byBoth = { ...byVectors, alpha: 0.5, sparse_similarity_top_k: 10 };

interface Answer {
  retrieval_nodes: RetrievedNode[];
  metadata: Record<string, string>;
  detail?: string;
}
const ask = (id: string, query: string, parameters: object) =>
  call<Answer>('POST', `/api/v1/pipelines/${id}/retrieve`, { body: { query, ...parameters } });

describe.each(LOSSES)('a data sink that lost vectors: %s', (loss) => {
  it('is reported by validate and status, and restored by the next sync without parsing', async () => {
    const { id, sink } = await syncedPipeline();
    await vendors.current.lose('remember');
    await addFiles(id, { 'tern.txt': NEW });
    expect((await sync(id)).status).toBe('SUCCESS');
    expect(await validate(sink)).toMatchObject({ success: true });
    await vendors.current.lose(loss);

    expect(await validate(sink)).toEqual({
      success: false,
      message: expect.stringMatching(/lacks \d+ of 5 checked vectors/),
    });
    const isAll = loss === 'dropped' || loss === 'truncated';
    expect(await statusOf(id)).toMatchObject({
      status: isAll ? 'ERROR' : 'PARTIAL_SUCCESS',
      error: [{ message: expect.stringMatching(/lacks \d+ of 5 checked vectors/), step: 'INGESTION' }],
    });
    const mended = await sync(id);
    expect(mended).toMatchObject({
      status: 'SUCCESS',
      error: null,
      counts: { SUCCESS: 5 },
      progress: { counters: { restored: 5 } },
    });
    expect(mended.progress!.counters).not.toHaveProperty('parse_ms');
    expect(mended.progress!.counters).not.toHaveProperty('indexed');
    expect(await validate(sink)).toMatchObject({ success: true });
    for (const text of [...Object.values(TEXTS), NEW]) expect(await nearest(id, text)).toBe(text);
  });
});

describe('a sync', () => {
  it('of one changed document also restores the others that the store lost', async () => {
    const { id } = await syncedPipeline();
    await vendors.current.lose('dropped');
    await addFiles(id, { 'tern.txt': NEW });
    const status = await sync(id);
    expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 5 } });
    expect(status.progress!.counters).toMatchObject({ restored: 4, indexed: 1 });
    for (const text of [...Object.values(TEXTS), NEW]) expect(await nearest(id, text)).toBe(text);
  });

  it('of a complete store makes one call and writes nothing', async () => {
    const { id } = await syncedPipeline();
    const before = (await vendors.current.state()).seen.length;
    // Reading the pipeline status would also query the store, so the test watches the run through its owner.
    const owner = createContext(env, { waitUntil() {} }).objects.pipelineSync(id);
    const { jobId } = await owner.start(id, { reason: 'request' });
    await expect.poll(async () => (await owner.view())?.finishedAt).toEqual(expect.any(Number));
    expect((await owner.view())?.jobId).toBe(jobId);
    const asked = (await vendors.current.state()).seen.slice(before);
    expect(asked.map(({ operation }) => operation)).toEqual([LOOK_UP]);
  });

  it('fails if the store rejects the restored vectors, and the next sync retries', async () => {
    const { id } = await syncedPipeline();
    await vendors.current.lose('truncated');
    await vendors.current.fail({ kind: 'status', status: 403, on: UPSERT });
    expect(await sync(id)).toMatchObject({
      status: 'ERROR',
      counts: { ERROR: 4 },
      error: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining('403') })]),
    });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
  });

  it('of a silent store ends within the time limit, with a reason', async () => {
    const { id } = await syncedPipeline();
    settings.SILENCE_SECONDS = 1;
    await vendors.current.fail({ kind: 'silent', on: LOOK_UP });
    const status = await sync(id);
    expect(status.status).toBe('ERROR');
    expect(status.error![0]!.message).toMatch(/did not answer.*later sync tries again/);
    expect((await sync(id)).status).toBe('SUCCESS');
  });

  it('retries if the store fails briefly', async () => {
    const { id } = await syncedPipeline();
    await vendors.current.fail({ kind: 'status', status: 503, on: LOOK_UP });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
  });
});

describe('a query while the store is unavailable', () => {
  it.each([
    ['fails', { kind: 'status', status: 503, on: QUERY }],
    ['is silent', { kind: 'silent', on: QUERY }],
    ['has lost its collection', 'dropped'],
    ['has lost all points', 'truncated'],
  ] as const)(
    'is answered by keywords with a warning, or with 503 for vectors only: the store %s',
    async (_, fault) => {
      const { id } = await syncedPipeline();
      settings.SILENCE_SECONDS = 4;
      if (typeof fault === 'string') await vendors.current.lose(fault);
      else await vendors.current.fail(fault, fault);
      const both = await ask(id, 'gull herring', byBoth);
      expect(both.body.retrieval_nodes.map(({ node }) => node.text)).toEqual([TEXTS['gull.txt']]);
      expect(both.body.metadata.warning).toMatch(/^Only sparse search answered: (The data sink|Qdrant)/);
      const dense = await ask(id, 'gull herring', byVectors);
      const reason = expect.stringMatching(/The data sink|Qdrant|did not answer/);
      expect([dense.status, dense.body.detail]).toEqual([503, reason]);
      expect(dense.headers.get('x-should-retry')).not.toBe('false');
    },
  );
});

it('a status reports why a data sink could not be reached', async () => {
  const { id } = await syncedPipeline();
  await vendors.current.fail({ kind: 'status', status: 503, on: LOOK_UP });
  expect(await statusOf(id)).toMatchObject({
    status: 'SUCCESS',
    problems: [{ field: 'data_sink_id', message: expect.stringContaining('503') }],
  });
});
