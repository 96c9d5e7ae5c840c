import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Service, sleep } from './service.ts';

/** Received requests and planned answers. */
const chats: { model: string; messages: { role: string; content: string }[]; response_format?: unknown }[] =
  [];
const reranks: { model: string; query: string; documents: string[]; top_n: number; key?: string }[] = [];
let replies: (string | number)[] = [];
let rerankStatus = 200;

/** Chat endpoint of the OpenAI protocol and rerank endpoint of the Cohere protocol on localhost. */
const server: Server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.url === '/v1/chat/completions') {
    chats.push(JSON.parse(text));
    const reply = replies.shift() ?? 400;
    if (typeof reply === 'number') return send(reply, { error: { message: 'refused by the test' } });
    const message = { role: 'assistant', content: reply };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return send(200, {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'chat-model',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    });
  }
  if (request.url === '/v2/rerank') {
    const body = JSON.parse(text);
    reranks.push({ ...body, key: request.headers.authorization });
    if (rerankStatus !== 200) return send(rerankStatus, { message: 'out of capacity' });
    // Ranks the shortest document first, unlike any other ranking.
    const results = (body.documents as string[])
      .map((document, index) => ({ index, relevance_score: 1 / document.length }))
      .sort((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, body.top_n);
    return send(200, { id: 'r1', results });
  }
  send(404, { message: request.url });
});

interface Result {
  retrieval_nodes: { node: { text: string; extra_info: Record<string, unknown> }; score: number }[];
  inferred_search_filters: unknown;
  metadata: Record<string, string>;
}

const service = new Service();
let pipelineId: string;
const ask = (query: string, parameters: Record<string, unknown>) =>
  service.call<Result>('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, { query, ...parameters });
const listTitles = ({ retrieval_nodes }: Result) => retrieval_nodes.map(({ node }) => node.extra_info.title);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    LLM_BASE_URL: `${base}/v1`,
    LLM_MODEL: 'chat-model',
    RERANK_BASE_URL: `${base}/v2`,
    RERANK_MODEL: 'rerank-model',
    RERANK_API_KEY: 'rerank-key',
  });
  await service.start();
  const pipeline = await service.call<{ id: string }>('POST', '/api/v1/pipelines', {
    name: 'models',
    metadata_config: { excluded_llm_metadata_keys: ['salary'] },
  });
  pipelineId = pipeline.id;
  await service.call('POST', `/api/v1/pipelines/${pipelineId}/documents`, [
    {
      id: 'a',
      text: 'Gulls nest on the mole, and on the roofs of the old town.',
      metadata: { title: 'Birds', salary: 7 },
    },
    {
      id: 'b',
      text: 'Gulls eat herring.',
      metadata: { title: 'Fish', year: 2024, rank: 'admiral' },
      excluded_llm_metadata_keys: ['rank'],
    },
    {
      id: 'c',
      text: 'The mole was built by convicts, gulls or no gulls.',
      metadata: { title: 'Mole', year: 1890 },
    },
  ]);
  for (let waited = 0; waited < PATIENCE_MS; waited += 200) {
    const { status } = await service.call<{ status: string }>(
      'GET',
      `/api/v1/pipelines/${pipelineId}/status`,
    );
    if (status === 'SUCCESS') return;
    await sleep(200);
  }
  throw new Error('the sync did not end');
});

afterAll(async () => {
  await service.end();
  server.close();
});

beforeEach(() => {
  chats.length = 0;
  reranks.length = 0;
  replies = [];
  rerankStatus = 200;
});

it('a reranking model orders chunks and receives their titles', async () => {
  const result = await ask('gulls', { rerank_top_n: 2 });
  expect(result.metadata).toMatchObject({ reranker: 'rerank/rerank-model' });
  expect(listTitles(result)).toEqual(['Fish', 'Mole']);
  expect(reranks).toHaveLength(1);
  expect(reranks[0]).toMatchObject({
    model: 'rerank-model',
    query: 'gulls',
    top_n: 2,
    key: 'Bearer rerank-key',
  });
  expect(reranks[0]!.documents).toContain('Fish\nGulls eat herring.');
});

it('the built-in reranker replaces a failing model and reports this', async () => {
  rerankStatus = 503;
  const result = await ask('what do gulls eat, herring?', {});
  expect(listTitles(result)[0]).toBe('Fish');
  expect(result.metadata.reranker).toMatch(/^builtin\//);
  expect(result.metadata.reranker_fallback).toContain('rerank-model failed');
});

it('a language model routes the query and selects files without hidden metadata', async () => {
  replies = ['{"result":"files_via_metadata"}', '{"files":[2]}'];
  const result = await ask('the piece on food', { retrieval_mode: 'auto_routed' });
  expect(result.metadata).toMatchObject({
    router: 'chat-model',
    file_choice: 'chat-model',
    retrieval_mode: 'files_via_metadata',
  });
  const prompt = chats[1]!.messages.at(-1)!.content;
  const second = /^2\. (\w+)/m.exec(prompt)![1];
  expect(listTitles(result)).toEqual([second]);
  expect(prompt).toContain('Birds');
  expect(prompt).toContain('year: 1890');
  expect(prompt).not.toMatch(/salary|admiral/);
});

it('built-in rules decide if the language model fails', async () => {
  replies = [400, '{"files":["none"]}'];
  const result = await ask('open the document titled Mole', { retrieval_mode: 'auto_routed' });
  expect(listTitles(result)).toEqual(['Mole']);
  expect(result.metadata.router).toMatch(/^builtin\//);
  expect(result.metadata.router_fallback).toContain('chat-model failed');
  expect(result.metadata.file_choice_fallback).toContain('chat-model failed');
});

const schema = { year: { type: 'integer' } };

it('a language model infers filters, and keys outside the schema are ignored', async () => {
  replies = [
    '{"filters":[{"key":"year","operator":"<","value":1900},{"key":"salary","operator":"==","value":7}]}',
  ];
  const result = await ask('gulls in the nineteenth century', { search_filters_inference_schema: schema });
  expect(result.inferred_search_filters).toEqual({
    condition: 'and',
    filters: [{ key: 'year', operator: '<', value: 1900 }],
  });
  expect(listTitles(result)).toEqual(['Mole']);
  expect(result.metadata.filter_inference).toBe('chat-model');
  expect(chats[0]!.response_format).toBeDefined();
});

it.each([
  ['an operator that does not exist', '{"filters":[{"key":"year","operator":"near","value":1900}]}'],
  ['no JSON', 'The year is 1890.'],
])('built-in inference is used if the model answers %s', async (_title, reply) => {
  replies = [reply];
  const result = await ask('gulls, year 1890', { search_filters_inference_schema: schema });
  expect(result.inferred_search_filters).toEqual({
    condition: 'and',
    filters: [{ key: 'year', operator: '==', value: 1890 }],
  });
  expect(result.metadata.filter_inference).toMatch(/^builtin\//);
  expect(result.metadata.filter_inference_fallback).toContain('chat-model failed');
});
