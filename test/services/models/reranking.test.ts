import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientOf } from '#test/support/configured.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { openaiChat } from '#test/vendors/chat/protocols/openai.ts';

const LLM = {
  LLM_MODELS: JSON.stringify({
    LLM_MODEL_01: { provider: 'openai_compatible', model: 'one', base_url: 'http://llm.test/v1' },
  }),
  LLM_DEFAULTS: JSON.stringify({ reranking: 'LLM_MODEL_01' }),
};
const RERANK = {
  RERANK_MODELS: JSON.stringify({
    cohere: { model: 'rerank-v3.5', api_key: 'key-of-nobody' },
    bedrock: { model: 'm-v1:0', region: 'eu-central-1', access_key_id: 'id', secret_access_key: 'key' },
  }),
};

interface Result {
  nodes: { node: { text: string } }[];
  metadata: Record<string, string>;
  warnings?: { field: string; reason: string }[];
}

let pipelineId: string;
let asked: string[] = [];

beforeAll(async () => {
  pipelineId = await createPipeline();
  await addFiles(pipelineId, {
    'ferry.txt': 'The Ardgour ferry is green.',
    'bridge.txt': 'The Corran bridge is green, and so is its ferry.',
  });
  await sync(pipelineId);
});

beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, { ...init, signal: null });
    const { host } = new URL(request.url);
    asked.push(host);
    const body = await request.json();
    const rank = (name: string) => [1, 0].map((index, rank) => ({ index, [name]: 1 - rank / 2 }));
    if (host === 'api.cohere.com') return Response.json({ results: rank('relevance_score') });
    if (host.startsWith('bedrock-agent')) return Response.json({ results: rank('relevanceScore') });
    return Response.json(openaiChat.write('{"ranking":[2,1]}', 'whole', openaiChat.read(body)));
  });
});
afterEach(() => vi.unstubAllGlobals());

async function retrieve(type: string, variables: Record<string, string>) {
  const ask = clientOf(env.BOOTSTRAP_API_KEY!, variables);
  const { status, body } = await ask<Result>('POST', '/api/v1/retrievers/retrieve', {
    query: 'What is green?',
    pipelines: [{ name: 'p', description: 'd', pipeline_id: pipelineId }],
    rerank_config: { type, top_n: 2 },
  });
  expect(status).toBe(200);
  return body;
}

describe('the reranker that a request names', () => {
  it.each([
    ['llm', 'llm/one', 'llm.test'],
    ['provider_b', 'rerank/rerank-v3.5', 'api.cohere.com'],
    ['provider_c', 'bedrock/m-v1:0', 'bedrock-agent-runtime.eu-central-1.amazonaws.com'],
  ])('orders the results: %s', async (type, name, host) => {
    const standard = await retrieve('disabled', {});
    const { metadata, nodes, warnings } = await retrieve(type, { ...LLM, ...RERANK });
    expect(metadata.reranker).toBe(name);
    expect(asked).toEqual([host]);
    expect(warnings).toBeUndefined();
    const texts = (result: Result) => result.nodes.map(({ node }) => node.text);
    expect(texts({ nodes, metadata })).toEqual(texts(standard).toReversed());
  });

  it.each(['llm', 'provider_b', 'provider_c'])(
    'is replaced by the default with a warning if it is not configured: %s',
    async (type) => {
      const { metadata, warnings } = await retrieve(type, {});
      expect(metadata.reranker).toMatch(/^builtin\//);
      expect(warnings).toEqual([
        {
          field: 'rerank_config.type',
          reason: expect.stringContaining(`${metadata.reranker} was used instead`),
        },
      ]);
      expect(asked).toEqual([]);
    },
  );

  it('is counted in the usage if it is a language model', async () => {
    const ask = clientOf(env.BOOTSTRAP_API_KEY!, LLM);
    const calls = async () => {
      const { body } = await ask<{ models: { use: string; calls: number }[] }>('GET', '/api/v1/usage');
      return body.models.find(({ use }) => use === 'reranking')?.calls ?? 0;
    };
    const before = await calls();
    await retrieve('llm', LLM);
    expect(await calls()).toBe(before + 1);
  });
});
