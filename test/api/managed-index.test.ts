import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { getShard, occupy } from '#test/durable-objects/shard.ts';
import { call } from '#test/support/client.ts';
import { createPipeline, retrieve, untilFinished } from '#test/support/pipelines.ts';

const PAGES = {
  mode: 'advanced',
  segmentation_config: { mode: 'page' },
  chunking_config: { mode: 'none' },
};

/** Returns a document in which every page becomes a chunk. */
function createBook(id: string, pages: number, what: string) {
  const texts = Array.from(
    { length: pages },
    (_, page) => `Page ${page} tells of the ${what} of pier${page}.\n`,
  );
  const page_positions = texts.map((_, page) => texts.slice(0, page).join('').length);
  return { id, text: texts.join(''), page_positions, metadata: { title: `${what} book` } };
}

async function put(pipelineId: string, document: object): Promise<void> {
  const { status } = await call('PUT', `/api/v1/pipelines/${pipelineId}/documents`, { body: [document] });
  expect(status).toBe(200);
  expect((await untilFinished(pipelineId)).status).toBe('SUCCESS');
}

const findTexts = async (pipelineId: string, query: string) =>
  (
    await retrieve(pipelineId, query, { alpha: 0, sparse_similarity_top_k: 100, enable_reranking: false })
  ).map(({ node }) => node.text.trim());

it('a document larger than its shard continues in another shard, and appears as one document', async () => {
  const id = await createPipeline({ transform_config: PAGES });
  await put(id, createBook('small', 3, 'crane'));
  const index = await env.DB.prepare('select id from pipeline_indexes where pipeline_id = ?')
    .bind(id)
    .first<{ id: string }>();
  const first = getShard(index!.id, 0);
  await occupy(first, 3 + 300);

  await put(id, createBook('large', 400, 'lantern'));
  const row = await env.DB.prepare('select shard, last_shard from indexed_documents where document_id = ?')
    .bind('large')
    .first();
  expect(row).toEqual({ shard: 0, last_shard: 1 });
  expect((await getShard(index!.id, 1).stats()).chunks).toBe(400 - 256);

  const path = `/api/v1/pipelines/${id}/documents/large`;
  const { body: nodes } = await call<{ id_: string; text: string }[]>('GET', `${path}/chunks`);
  expect(nodes.map(({ text }) => Number(/Page (\d+)/.exec(text)![1]))).toEqual(
    Array.from({ length: 400 }, (_, page) => page),
  );
  for (const page of [3, 255, 256, 399]) {
    const [found] = await retrieve(id, `lantern pier${page}`, { rerank_top_n: 1 });
    expect(found!.node.text).toContain(`pier${page}.`);
    const { relationships } = found!.node;
    expect(relationships['2']?.node_id).toBe(nodes[page - 1]?.id_);
    expect(relationships['3']?.node_id).toBe(nodes[page + 1]?.id_);
  }

  // A smaller version replaces the whole document, and deleting it leaves nothing in either shard.
  await put(id, createBook('large', 5, 'beacon'));
  expect(await findTexts(id, 'lantern')).toEqual([]);
  expect(await findTexts(id, 'beacon')).toHaveLength(5);
  await put(id, createBook('large', 350, 'anchor'));
  expect(await findTexts(id, 'anchor')).toHaveLength(100);
  expect((await call('DELETE', path)).status).toBe(204);
  expect(await findTexts(id, 'anchor beacon lantern')).toEqual([]);
  expect(await findTexts(id, 'crane')).toHaveLength(3);
});
