import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { EmbeddingServer } from './embedding-server.ts';
import { Service, sleep } from './service.ts';

interface Status {
  status: string;
  counts: Record<string, number>;
  progress: { items: { done: number } };
}

const FILES = 80;
const embeddings = new EmbeddingServer();
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
/** Returns a word that occurs in one file only. */
const word = (n: number) => `marker${String.fromCharCode(97 + (n % 26))}${String(n).padStart(3, '0')}`;

beforeAll(() => Promise.all([embeddings.start(), service.start()]));
afterAll(async () => {
  await service.end();
  await embeddings.stop();
});

it('finishes a killed sync without loss or duplicates', async () => {
  const ids: string[] = [];
  for (let n = 0; n < FILES; n += 1) {
    const filler = Array.from({ length: 400 }, (_, k) => `sentence ${k} of file ${n} goes on.`).join(' ');
    ids.push(await service.upload(`file-${n}.txt`, `The word here is ${word(n)}. ${filler}`));
  }
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/pipelines', {
    name: `crash ${crypto.randomUUID()}`,
    embedding_config: {
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_base: embeddings.base, api_key: embeddings.key, model_name: 'loopback' },
    },
  });
  const path = `/api/v1/pipelines/${id}`;
  // Embedding of these files waits until the kill.
  embeddings.ignored = (text) => /file (6|7)\d goes on/.test(text);
  await service.call(
    'PUT',
    `${path}/files`,
    ids.map((file_id) => ({ file_id })),
  );
  await service.call('POST', `${path}/sync`);
  const status = () => service.call<Status>('GET', `${path}/status?full_details=true`);

  let done = 0;
  for (let waited = 0; done < 5 && waited < PATIENCE_MS; waited += 20) {
    done = (await status()).progress.items.done;
    await sleep(20);
  }
  await service.kill();
  embeddings.ignored = () => false;
  expect(done).toBeGreaterThanOrEqual(5);
  expect(done).toBeLessThan(FILES);

  await service.start();
  let last = await status();
  for (let waited = 0; last.status === 'IN_PROGRESS' && waited < PATIENCE_MS; waited += 200) {
    await sleep(200);
    last = await status();
  }
  expect(last).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: FILES } });

  for (let n = 0; n < FILES; n += 1) {
    const { retrieval_nodes: hits } = await service.call<{
      retrieval_nodes: { node: { id_: string; text: string; extra_info: { file_id: string } } }[];
    }>('POST', `${path}/retrieve`, { query: word(n), alpha: 0, enable_reranking: false });
    const holding = hits.filter(({ node }) => node.text.includes(word(n)));
    expect(holding.map(({ node }) => node.extra_info.file_id)).toEqual([ids[n]]);
  }
});
