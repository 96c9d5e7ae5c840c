import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddingServer } from './embedding-server.ts';
import { SyncClient } from './pipelines.ts';
import { Service, sleep } from './service.ts';

const FILES = 24;
const embeddings = new EmbeddingServer();
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const client = new SyncClient(service);

beforeAll(async () => {
  await embeddings.start();
  await service.start();
});
afterAll(async () => {
  await service.end();
  await embeddings.stop();
});

const config = (dimensions: number, more: Record<string, unknown> = {}) => ({
  type: 'PROVIDER_G_EMBEDDING',
  component: { api_base: embeddings.base, api_key: embeddings.key, model_name: 'm', dimensions, ...more },
});

async function filled(): Promise<string> {
  const id = await client.createPipeline({ embedding_config: config(16, { embed_batch_size: 3 }) });
  const files = [];
  for (let n = 0; n < FILES; n += 1) {
    const text = Array.from({ length: 8 }, (_, k) => `Paragraph ${k} of text ${n}.`).join('\n\n');
    files.push({ file_id: await service.upload(`${n}.txt`, text) });
  }
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, files);
  expect((await client.sync(id)).status).toBe('SUCCESS');
  return id;
}

/**
 * Runs dense queries while `work` runs, and returns how many files each query finds. Throws if a query fails.
 */
async function whileQuerying(id: string, work: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  let isOn = true;
  const querying = (async () => {
    while (isOn) {
      const body = { query: 'text', alpha: 1, dense_similarity_top_k: 100, enable_reranking: false };
      const { retrieval_nodes: hits } = await service.call<{
        retrieval_nodes: { node: { extra_info: { file_id: string } } }[];
      }>('POST', `/api/v1/pipelines/${id}/retrieve`, body);
      found.push(new Set(hits.map(({ node }) => node.extra_info.file_id)).size);
      await sleep(5);
    }
  })().finally(() => {
    isOn = false;
  });
  try {
    await work();
    // Runs one more query after `work` has ended.
    const before = found.length;
    while (isOn && found.length < before + 2) await sleep(20);
  } finally {
    isOn = false;
    await querying;
  }
  return found;
}

it('answers from the complete old index until the new index replaces it', async () => {
  const id = await filled();
  embeddings.requests.length = 0;
  const found = await whileQuerying(id, async () => {
    await service.call('PUT', `/api/v1/pipelines/${id}`, { embedding_config: config(24) });
    expect((await client.sync(id)).status).toBe('SUCCESS');
    await service.call('PUT', `/api/v1/pipelines/${id}`, {
      transform_config: { mode: 'auto', chunk_size: 20, chunk_overlap: 0 },
    });
    expect((await client.sync(id)).status).toBe('SUCCESS');
  });
  expect(found.length).toBeGreaterThan(2);
  expect(found.filter((count) => count !== FILES)).toEqual([]);
  // Queries are embedded with the model of the index that answers: first the old one, finally the new one.
  const queries = embeddings.requests.filter(({ input }) => input[0] === 'text');
  expect(queries[0]?.dimensions).toBe(16);
  expect(queries.at(-1)?.dimensions).toBe(24);
});

it('keeps the old index and reports the error if the new embedding fails', async () => {
  const id = await filled();
  const found = await whileQuerying(id, async () => {
    await service.call('PUT', `/api/v1/pipelines/${id}`, {
      embedding_config: config(24, { api_key: 'wrong' }),
    });
    const status = await client.sync(id);
    expect(status.status).toBe('ERROR');
    expect(status.error?.[0]?.message).toContain('401');
  });
  expect(found.filter((count) => count !== FILES)).toEqual([]);
  // The key does not affect vectors, so correcting the key needs no other change.
  await service.call('PUT', `/api/v1/pipelines/${id}`, { embedding_config: config(24) });
  expect(await client.sync(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: FILES } });
});
