import { env } from 'cloudflare:workers';
import type { LanguageModel } from 'ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { beginChat } from '#src/chat/sessions/chat.ts';
import type { CorpusParams } from '#src/chat/sessions/corpus.ts';
import { answerOnce, searchOnce } from '#src/chat/sessions/stateless.ts';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';
import { retrieveComposite } from '#src/retrieval/composite-retrieval.ts';
import { findFilesByMetadata } from '#src/retrieval/find-files.ts';
import { getTarget, retrieveFrom } from '#src/retrieval/retrieval.ts';
import type { ChatOrder } from '#src/work/chat-owner.ts';
import { modelStreaming, whole } from '#test/support/chat-jobs.ts';
import { call, upload } from '#test/support/client.ts';
import { createPipeline, sync } from '#test/support/pipelines.ts';
import { scopeOf } from '#test/support/scopes.ts';

// Metadata that a playground or its managed pipeline excludes from models. The managed pipeline excludes `salary` and
// the name of its file. The playground excludes `rank` and the title of the text document. Neither excludes `room`.

const QUESTION = 'Where do gulls nest?';
const METADATA = { salary: 'planted-salary', rank: 'planted-rank', room: 'planted-room' };
const MANAGED_KEYS = ['salary', 'file_name'];
const PLAYGROUND_KEYS = ['rank', 'title'];
const plain = createContext(env, { waitUntil() {} });

let fileId: string;
let managed: string;
let playground: string;

const excluding = (keys: string[]) => ({
  metadata_config: { excluded_llm_metadata_keys: keys, excluded_embed_metadata_keys: keys },
});

beforeAll(async () => {
  managed = await createPipeline(excluding(MANAGED_KEYS));
  const link = { pipeline_type: 'PLAYGROUND', managed_pipeline_id: managed };
  playground = await createPipeline({ ...link, ...excluding(PLAYGROUND_KEYS) });
  fileId = await upload('harbour.txt', 'Gulls nest on the roofs of the harbour.');
  const files = [{ file_id: fileId, custom_metadata: METADATA }];
  const text = 'Gulls nest on the towers of the town.';
  const documents = [{ id: 'town', text, metadata: { ...METADATA, title: 'The town' } }];
  const added = [
    await call('PUT', `/api/v1/pipelines/${managed}/files`, { body: files }),
    await call('POST', `/api/v1/pipelines/${managed}/documents`, { body: documents }),
  ];
  expect(added.map(({ status }) => status)).toEqual([200, 200]);
  expect((await sync(managed)).status).toBe('SUCCESS');
});

/** Returns the planted values in everything that was sent. */
const findPlanted = (sent: unknown) =>
  [...new Set(JSON.stringify(sent).match(/planted-\w+/g))].map((value) => value.slice(8)).toSorted();

/** Returns a context that sends nothing to others, and what its models and chat streams received. */
async function createRecorder() {
  const prompts: unknown[] = [];
  const candidates: RerankCandidate[] = [];
  const orders: ChatOrder[] = [];
  const model = {
    ...(modelStreaming(whole('On roofs [1].'), prompts) as object),
    // The built-in code chooses files after the model has failed.
    doGenerate: async ({ prompt }: { prompt: unknown }) => {
      prompts.push(prompt);
      throw new Error('This model only records prompts.');
    },
  } as unknown as LanguageModel;
  const reranker: Reranker = {
    modelId: 'recorder',
    async rerank(_, received) {
      candidates.push(...received);
      return received.map(({ id }) => ({ id, score: 0.5 }));
    },
  };
  const begin = async (order: ChatOrder) => {
    orders.push(order);
    return new ReadableStream<Uint8Array>();
  };
  const models = {
    ...plain.models,
    languageNames: () => ['m'],
    language: () => model,
    languagePrices: () => undefined,
    reranking: () => reranker,
  };
  const objects = { ...plain.objects, chatStream: () => ({ begin }) };
  const ctx = { ...plain, models, objects } as unknown as Context;
  const scope = await scopeOf({ key: String(env.BOOTSTRAP_API_KEY) }, {}, ctx);
  return { scope, prompts, candidates, orders };
}

interface Retrieved {
  retrieval_nodes: {
    node: { excluded_llm_metadata_keys: string[]; excluded_embed_metadata_keys: string[] };
  }[];
}

describe.each([
  {
    kind: 'managed pipeline',
    getId: () => managed,
    excluded: MANAGED_KEYS,
    visible: ['rank', 'room'],
    titles: ['', 'The town'],
  },
  {
    kind: 'playground',
    getId: () => playground,
    excluded: [...PLAYGROUND_KEYS, ...MANAGED_KEYS],
    visible: ['room'],
    titles: ['', ''],
  },
])('a $kind', ({ getId, excluded, visible, titles }) => {
  const members = (preset: object = {}) => [
    { pipeline_id: getId(), name: 'p', description: 'd', preset_retrieval_parameters: preset },
  ];
  const searches: [string, (scope: TenantContext, parameters: object) => Promise<unknown>][] = [
    [
      'retrieval from the pipeline',
      async (scope, parameters) => retrieveFrom(scope, await getTarget(scope, getId()), QUESTION, parameters),
    ],
    [
      'retrieval from a retriever',
      (scope, parameters) => retrieveComposite(scope, members(parameters), { query: QUESTION }, true),
    ],
  ];
  const createRetriever = async () => {
    const body = { name: crypto.randomUUID(), pipelines: members() };
    return (await call<{ id: string }>('POST', '/api/v1/retrievers', { body })).body.id;
  };
  const corpora: [string, () => Promise<CorpusParams>][] = [
    ['the pipeline', async () => ({ pipeline_id: getId() })],
    ['a retriever', async () => ({ retriever_id: await createRetriever() })],
  ];

  it('lists the excluded keys in the nodes of its retrieval', async () => {
    const path = `/api/v1/pipelines/${getId()}/retrieve`;
    const { body } = await call<Retrieved>('POST', path, { body: { query: QUESTION } });
    expect(body.retrieval_nodes).toHaveLength(2);
    for (const { node } of body.retrieval_nodes) {
      expect(node.excluded_llm_metadata_keys.toSorted()).toEqual(excluded.toSorted());
      expect(node.excluded_embed_metadata_keys.toSorted()).toEqual(excluded.toSorted());
    }
  });

  it.each(searches)('hides metadata from the model that chooses files in %s', async (_, search) => {
    const { scope, prompts } = await createRecorder();
    await search(scope, { retrieval_mode: 'files_via_metadata' });
    expect(prompts).toHaveLength(1);
    expect(findPlanted(prompts)).toEqual(visible);
  });

  it.each(searches)('hides titles from the reranker in %s', async (_, search) => {
    const { scope, candidates } = await createRecorder();
    await search(scope, { retrieval_mode: 'chunks', enable_reranking: true });
    expect(candidates.map(({ title }) => title).toSorted()).toEqual(titles);
  });

  it.each(corpora)('hides metadata from the model that answers a chat with %s', async (_, getParams) => {
    const { scope, prompts } = await createRecorder();
    const { signal } = new AbortController();
    await answerOnce(scope, await getParams(), QUESTION, {}, { requestId: 'r', signal });
    expect(prompts).toHaveLength(1);
    expect(findPlanted(prompts)).toEqual(visible);
  });

  it.each(corpora)('hides metadata in the passages that a search of %s returns', async (_, getParams) => {
    const { scope } = await createRecorder();
    const { chunks } = await searchOnce(scope, await getParams(), QUESTION, {}, 'request');
    expect(chunks).toHaveLength(2);
    expect(findPlanted(chunks.map(({ chunk }) => chunk.metadata))).toEqual(visible);
  });

  it('names the excluded keys in the order of a stored chat', async () => {
    const { scope, orders } = await createRecorder();
    const request = { messages: [{ role: 'user' as const, content: QUESTION }] };
    await beginChat(scope, { pipeline_id: getId() }, request, { requestId: 'r', protocol: 'ui' });
    expect(orders.map(({ excludedKeys }) => excludedKeys.toSorted())).toEqual([excluded.toSorted()]);
  });

  it('finds files without the excluded metadata', async () => {
    const { scope } = await createRecorder();
    const filters = {
      condition: 'and' as const,
      filters: [{ key: 'room', operator: '==' as const, value: METADATA.room }],
    };
    const { items } = await findFilesByMetadata(scope, getId(), { filters, pageSize: 10 });
    expect(items.map(({ documentId }) => documentId)).toEqual([fileId]);
    expect(findPlanted(items.map(({ metadata }) => metadata))).toEqual(visible);
  });
});
