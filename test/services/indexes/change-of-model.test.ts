import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, statusOf, sync, untilFinished } from '#test/support/pipelines.ts';
import { restartWith } from '#test/support/restart.ts';
import { VendorSession } from '#test/vendors/client.ts';

const KEY = 'key-of-the-endpoint';
const BASE = 'http://models.test/v1';
const NAMES = ['EMBEDDING_BASE_URL', 'EMBEDDING_MODEL', 'EMBEDDING_API_KEY'] as const;
const TEXTS = ['The ferry is green.', 'The lighthouse is red.', 'The mole is old.'];
const QUERY = 'Which colour?';

let vendors: VendorSession;
let pipelineId: string;
/** While true, document texts wait at the endpoint; queries do not. */
let isHeld = false;
let waiting = 0;

/** Number of dimensions of each model. */
const DIMENSIONS: Record<string, number> = { first: 4, second: 6 };

beforeEach(async () => {
  [isHeld, waiting] = [false, 0];
  pipelineId = await createPipeline();
  const mount = { vendor: 'openai', base: BASE, settings: { key: KEY, models: Object.keys(DIMENSIONS) } };
  vendors = await VendorSession.open([mount]);
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { model, input: texts } = await request.clone().json<{ model: string; input: string[] }>();
    if (!texts.includes(QUERY)) {
      waiting += 1;
      while (isHeld) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const answer = await vendors.fetch(request);
    if (!answer.ok) return answer;
    const body = await answer.json<{ data: { embedding: number[] }[] }>();
    const data = body.data.map((each) => ({
      ...each,
      embedding: Array.from({ length: DIMENSIONS[model]! }, (_, at) => each.embedding[at % 4]! + at),
    }));
    return Response.json({ ...body, data });
  });
});
afterEach(async () => {
  isHeld = false;
  vi.unstubAllGlobals();
  await startWith(pipelineId, {});
  const { mistakes } = await vendors.end();
  expect(mistakes).toEqual([]);
});

const startWith = (id: string, variables: Partial<Record<(typeof NAMES)[number], string>>) =>
  restartWith(NAMES, variables, id);

const endpointWith = (model: string) => ({
  EMBEDDING_BASE_URL: BASE,
  EMBEDDING_MODEL: model,
  EMBEDDING_API_KEY: KEY,
});

/** Searches by vectors only, and returns the number of documents found and the embedding model. */
async function asked(id: string) {
  const body = { query: QUERY, alpha: 1, dense_similarity_top_k: 10, enable_reranking: false };
  const answer = await call<{ retrieval_nodes: unknown[]; metadata: Record<string, string> }>(
    'POST',
    `/api/v1/pipelines/${id}/retrieve`,
    { body },
  );
  expect(answer.status).toBe(200);
  return { found: answer.body.retrieval_nodes.length, embedding: answer.body.metadata.embedding };
}

const all = (embedding: unknown) => ({ found: TEXTS.length, embedding });
const BUILTIN = expect.stringMatching(/^builtin\//);
const of = (model: string) => `${model}@${BASE}`;

it('a sync after a change of the model builds another index, and the old index answers until then', async () => {
  const id = pipelineId;
  await addFiles(id, Object.fromEntries(TEXTS.map((text, index) => [`${index}.txt`, text])));
  await sync(id);
  expect(await asked(id)).toEqual(all(BUILTIN));

  const models = [BUILTIN, of('first'), of('second')];
  for (const [index, model] of ['first', 'second'].entries()) {
    const [before, after] = models.slice(index);
    await startWith(id, endpointWith(model));
    // A changed setting alone does not start a sync.
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCESS', progress: { builds_index: false } });
    expect(await asked(id)).toEqual(all(before));

    [isHeld, waiting] = [true, 0];
    const { status } = await call('POST', `/api/v1/pipelines/${id}/sync`);
    expect(status).toBe(200);
    await vi.waitUntil(() => waiting > 0, { timeout: PATIENCE_MS });
    expect(await statusOf(id)).toMatchObject({ status: 'IN_PROGRESS', progress: { builds_index: true } });
    expect(await asked(id)).toEqual(all(before));

    isHeld = false;
    const done = await untilFinished(id);
    expect(done).toMatchObject({
      status: 'SUCCESS',
      counts: { SUCCESS: TEXTS.length },
      progress: { builds_index: false, counters: { indexed: TEXTS.length } },
    });
    expect(await asked(id)).toEqual(all(after));
  }
});

it('a sync keeps the old index and reports the reason if the new model is unavailable', async () => {
  const id = pipelineId;
  await addFiles(id, { 'a.txt': TEXTS[0]! });
  await sync(id);
  await startWith(id, endpointWith('absent'));
  const failed = await sync(id);
  expect(failed).toMatchObject({ status: 'ERROR', error: [{ step: 'INGESTION' }] });
  expect(failed.error?.[0]?.message).toContain('answered 404');
  expect(await asked(id)).toEqual({ found: 1, embedding: BUILTIN });
});
