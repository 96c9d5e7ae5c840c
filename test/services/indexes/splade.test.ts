import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '#src/settings/settings.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, statusOf, sync } from '#test/support/pipelines.ts';
import { restartWith } from '#test/support/restart.ts';
import { VendorSession } from '#test/vendors/client.ts';

const KEY = 'key-of-the-sparse-model';
const URL = 'http://sparse-model.test:8080';
const SERVER = {
  SPARSE_EMBEDDINGS_URL: URL,
  SPARSE_EMBEDDINGS_API_KEY: KEY,
} satisfies Partial<Settings>;
const SPLADE = { sparse_model_config: { model_type: 'splade' } };
const BM25 = { sparse_model_config: { model_type: 'bm25' } };

const TEXTS = {
  'garage.txt': 'Every automobile is washed on Fridays.',
  'harbour.txt': 'The ferry leaves at nine.',
};

let vendors: VendorSession;
const SETTING_NAMES = [
  'SPARSE_EMBEDDINGS_URL',
  'SPARSE_EMBEDDINGS_API_KEY',
  'SPARSE_EMBEDDINGS_MODEL',
] as const;

let current: Partial<Settings>;

/** Simulates a restart of the service with these settings. */
function startWith(settings: Partial<Settings>, pipelineId?: string): Promise<void> {
  current = settings;
  return restartWith(SETTING_NAMES, settings, pipelineId);
}

/** Creates a pipeline whose objects have the current settings too. */
async function create(body: Record<string, unknown>): Promise<string> {
  const id = await createPipeline(body);
  await startWith(current, id);
  return id;
}

beforeEach(async () => {
  const settings = {
    key: KEY,
    synonyms: [
      ['car', 'automobile'],
      ['ship', 'ferry'],
    ],
  };
  vendors = await VendorSession.open([{ vendor: 'text-embeddings-inference', settings }]);
  vi.stubGlobal('fetch', vendors.fetch);
  await startWith(SERVER);
});
afterEach(async () => {
  await startWith({});
  vi.unstubAllGlobals();
  const { mistakes } = await vendors.end();
  expect(mistakes).toEqual([]);
});

const askedTexts = async () =>
  (await vendors.state()).seen.flatMap(({ note }) => (note as { texts: string[] } | undefined)?.texts ?? []);

async function synced(body: Record<string, unknown>, texts: Record<string, string> = TEXTS) {
  const id = await create(body);
  const files = await addFiles(id, texts);
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
  return { id, files };
}

/** Returns the names of the files that sparse search alone finds. */
async function find(id: string, query: string) {
  const parameters = { alpha: 0, enable_reranking: false };
  return (await retrieve(id, query, parameters)).map(({ node }) => node.extra_info.file_name);
}

async function askWithMetadata(id: string, body: object) {
  const answer = await call<{ retrieval_nodes: unknown[]; metadata: Record<string, string> }>(
    'POST',
    `/api/v1/pipelines/${id}/retrieve`,
    { body: { enable_reranking: false, ...body } },
  );
  return { status: answer.status, found: answer.body.retrieval_nodes, notes: answer.body.metadata };
}

const change = async (id: string, body: object) =>
  expect((await call('PUT', `/api/v1/pipelines/${id}`, { body })).status).toBe(200);

describe('a pipeline with the sparse model type splade', () => {
  it('finds chunks by terms that they do not contain, and nothing after they are deleted', async () => {
    const { id, files } = await synced(SPLADE);
    expect(await find(id, 'car')).toEqual(['garage.txt']);
    expect(await find(id, 'ship')).toEqual(['harbour.txt']);
    expect(await find(id, 'walrus')).toEqual([]);
    const both = await askWithMetadata(id, { query: 'car', alpha: 0.5 });
    expect(both.notes).toMatchObject({ sparse: 'splade' });
    const deleted = await call('DELETE', `/api/v1/pipelines/${id}/files/${files[0]}`);
    expect(deleted.status).toBeLessThan(300);
    expect(await find(id, 'car')).toEqual([]);
  });

  it('searches title and headings with the text', async () => {
    const { id } = await synced(SPLADE, { 'tariff.md': '# Parking\n\nTwo coins per hour.' });
    const [text] = await askedTexts();
    expect(text).toBe('tariff.md\nParking\n# Parking\n\nTwo coins per hour.');
    for (const query of ['tariff', 'parking', 'coins']) expect(await find(id, query)).toEqual(['tariff.md']);
  });

  it('searches metadata with the text, and indexes a document again when its metadata changes', async () => {
    const { id, files } = await synced(SPLADE);
    const path = `/api/v1/pipelines/${id}/files/${files[0]}`;
    await call('PUT', path, { body: { custom_metadata: { colour: 'red' } } });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS' });
    expect(await find(id, 'car')).toEqual(['garage.txt']);
    expect(await find(id, 'red')).toEqual(['garage.txt']);
  });

  it('uses BM25 without a server, and warns', async () => {
    await startWith({});
    const body = { name: crypto.randomUUID(), ...SPLADE };
    const { body: created } = await call<{ id: string; warnings: object[] }>('POST', '/api/v1/pipelines', {
      body,
    });
    expect(created.warnings).toEqual([
      {
        field: 'sparse_model_config.model_type',
        reason: expect.stringContaining('SPARSE_EMBEDDINGS_URL'),
      },
    ]);
    await addFiles(created.id, TEXTS);
    await sync(created.id);
    expect(await find(created.id, 'car')).toEqual([]);
    expect(await find(created.id, 'automobile')).toEqual(['garage.txt']);
    expect(await askedTexts()).toEqual([]);
    await startWith(SERVER, created.id);
    expect(await sync(created.id)).toMatchObject({ progress: { counters: { indexed: 2 } } });
    expect(await find(created.id, 'car')).toEqual(['garage.txt']);
  });

  it('has no warning with a server', async () => {
    const body = { name: crypto.randomUUID(), ...SPLADE };
    const answer = await call<{ warnings?: object[] }>('POST', '/api/v1/pipelines', { body });
    expect(answer.body.warnings).toBeUndefined();
  });
});

describe('another sparse model type', () => {
  it.each(['bm25', 'auto'])('uses words: %s', async (model_type) => {
    const { id } = await synced({ sparse_model_config: { model_type } });
    expect(await find(id, 'car')).toEqual([]);
    expect(await find(id, 'automobile')).toEqual(['garage.txt']);
    expect(await askedTexts()).toEqual([]);
  });

  it('rebuilds the index with the next sync, and the old index answers until then', async () => {
    const { id } = await synced(BM25);
    await change(id, SPLADE);
    expect(await find(id, 'car')).toEqual([]);
    expect(await find(id, 'automobile')).toEqual(['garage.txt']);
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', progress: { counters: { indexed: 2 } } });
    expect(await find(id, 'car')).toEqual(['garage.txt']);
    await change(id, BM25);
    expect(await find(id, 'car')).toEqual(['garage.txt']);
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', progress: { counters: { indexed: 2 } } });
    expect(await find(id, 'car')).toEqual([]);
  });
});

describe('another sparse model of the installation', () => {
  it('rebuilds the index with the next sync, and dense search alone answers until then', async () => {
    const { id } = await synced(SPLADE);
    await startWith({ ...SERVER, SPARSE_EMBEDDINGS_MODEL: 'another' }, id);
    const before = await askWithMetadata(id, { query: 'automobile', alpha: 0.5 });
    expect(before.found).not.toEqual([]);
    expect(before.notes.warning).toMatch(/^Only dense search answered:.*SPARSE_EMBEDDINGS_URL.*Start a sync/);
    expect((await askWithMetadata(id, { query: 'automobile', alpha: 0 })).status).toBe(409);
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', progress: { counters: { indexed: 2 } } });
    expect(await find(id, 'car')).toEqual(['garage.txt']);
  });

  it('may move to another address if it has a name', async () => {
    const named = { ...SERVER, SPARSE_EMBEDDINGS_MODEL: 'splade-v3' };
    await startWith(named);
    const { id } = await synced(SPLADE);
    await startWith({ ...named, SPARSE_EMBEDDINGS_URL: `${URL}/` }, id);
    expect(await find(id, 'car')).toEqual(['garage.txt']);
    expect((await sync(id)).progress?.counters.indexed ?? 0).toBe(0);
  });
});

describe('a sparse model that fails', () => {
  it('is reported by the sync, with the name of the setting, and the next sync tries again', async () => {
    await vendors.hold({ 'text-embeddings-inference': { isDense: true } });
    const id = await create(SPLADE);
    await addFiles(id, TEXTS);
    const failed = await sync(id);
    expect(failed).toMatchObject({ status: 'ERROR' });
    expect(JSON.stringify(failed.error)).toMatch(/SPARSE_EMBEDDINGS_URL answered 424/);
    await vendors.hold({ 'text-embeddings-inference': { isDense: false } });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS' });
    expect((await statusOf(id)).counts).toMatchObject({ SUCCESS: 2 });
  });

  it('leaves dense search to answer queries, with a warning', async () => {
    const { id } = await synced(SPLADE);
    await vendors.fail({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    const { found, notes } = await askWithMetadata(id, { query: 'automobile', alpha: 0.5 });
    expect(found).not.toEqual([]);
    expect(notes.warning).toMatch(
      /^Only dense search answered: The server in SPARSE_EMBEDDINGS_URL answered 503/,
    );
    expect((await askWithMetadata(id, { query: 'automobile', alpha: 0 })).status).toBeGreaterThanOrEqual(500);
  });
});

describe('a data sink with native_search', () => {
  const component = {
    ...{ host: '93.184.215.14', port: 5432, database: 'd', user: 'u', password: 'p' },
    ...{ schema_name: 's', table_name: 't', embed_dim: 384 },
  };
  const createSink = async (native_search: boolean) => {
    const body = {
      name: crypto.randomUUID(),
      sink_type: 'VENDOR_F',
      component: { ...component, table_name: crypto.randomUUID(), native_search },
    };
    return (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
  };
  const refused = {
    status: 422,
    body: {
      detail: [
        {
          loc: ['body', 'sparse_model_config', 'model_type'],
          msg: expect.stringContaining('native_search'),
        },
      ],
    },
  };

  it('refuses splade for new and existing pipelines', async () => {
    const data_sink_id = await createSink(true);
    const body = { name: crypto.randomUUID(), data_sink_id, ...SPLADE };
    expect(await call('POST', '/api/v1/pipelines', { body })).toMatchObject(refused);
    const native = await createPipeline({ data_sink_id });
    expect(await call('PUT', `/api/v1/pipelines/${native}`, { body: SPLADE })).toMatchObject(refused);
    const learned = await createPipeline(SPLADE);
    const attach = { body: { data_sink_id } };
    expect(await call('PUT', `/api/v1/pipelines/${learned}`, attach)).toMatchObject(refused);
    await createPipeline({ data_sink_id: await createSink(false), ...SPLADE });
  });

  it('fails a sync of a pipeline that chose splade before there was a sparse model', async () => {
    await startWith({});
    const id = await create({ data_sink_id: await createSink(true), ...SPLADE });
    await startWith(SERVER, id);
    const failed = await sync(id);
    expect(failed).toMatchObject({ status: 'ERROR' });
    expect(JSON.stringify(failed.error)).toMatch(/sparse_model_config\.model_type: .*native_search/);
  });
});
