import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerWithoutSession, beginChat, toChatCorpus } from '#src/chat/sessions/chat.ts';
import { getCorpus } from '#src/chat/sessions/corpus.ts';
import { createSearch } from '#src/chat/sessions/search.ts';
import { answerOnce, searchOnce } from '#src/chat/sessions/stateless.ts';
import { type Context, createContext } from '#src/context/context.ts';
import type { ChatOrder } from '#src/work/chat-owner.ts';
import { modelStreaming, whole } from '#test/support/chat-jobs.ts';
import { call } from '#test/support/client.ts';
import { createPipeline, untilFinished } from '#test/support/pipelines.ts';
import { scopeOf } from '#test/support/scopes.ts';

// Metadata that a pipeline or a document excludes from models. The old town excludes `salary`, its document `shelf`;
// the harbour excludes `rank`.

const KEYS = ['salary', 'rank', 'shelf', 'room'];
const QUESTION = 'Where do gulls nest?';
const plain = createContext(env, { waitUntil() {} });
const operator = { key: String(env.BOOTSTRAP_API_KEY) };

let town: string;
let harbour: string;
let retriever: string;

async function pipelineOf(place: string, hidden: string, ofDocument: string[] = []): Promise<string> {
  const id = await createPipeline({ metadata_config: { excluded_llm_metadata_keys: [hidden] } });
  const metadata = Object.fromEntries(KEYS.map((key) => [key, `${place}-${key}`]));
  const document = { id: place, text: `Gulls nest on the roofs of the ${place}.`, metadata };
  const body = [{ ...document, excluded_llm_metadata_keys: ofDocument }];
  const answer = await call('POST', `/api/v1/pipelines/${id}/documents`, { body });
  expect(answer.status).toBe(200);
  expect((await untilFinished(id)).status).toBe('SUCCESS');
  return id;
}

beforeAll(async () => {
  town = await pipelineOf('town', 'salary', ['shelf']);
  harbour = await pipelineOf('harbour', 'rank');
  const body = { name: 'both places', pipelines: [town, harbour].map((pipeline_id) => ({ pipeline_id })) };
  retriever = (await call<{ id: string }>('POST', '/api/v1/retrievers', { body })).body.id;
});

type Params = { pipeline_id: string } | { retriever_id: string };
const CORPORA: [string, () => Params, string[]][] = [
  ['a pipeline', () => ({ pipeline_id: town }), ['town-rank', 'town-room']],
  [
    'a retriever',
    () => ({ retriever_id: retriever }),
    ['harbour-room', 'harbour-salary', 'harbour-shelf', 'town-rank', 'town-room'],
  ],
];

/** Returns the planted values in a text. */
const valuesIn = (text: string) =>
  [...new Set(text.match(new RegExp(`(?:town|harbour)-(?:${KEYS.join('|')})`, 'g')))].toSorted();

describe('excluded metadata', () => {
  it.each(CORPORA)('is not in the passages that are found in %s', async (_, toParams, expected) => {
    const { chunks } = await searchOnce(await scopeOf(operator), toParams(), QUESTION, {}, 'request');
    expect(valuesIn(JSON.stringify(chunks.map(({ chunk }) => chunk.metadata)))).toEqual(expected);
  });

  it.each(CORPORA)('is not in the prompt of an answer from %s', async (_, toParams, expected) => {
    const prompts: unknown[] = [];
    const models = {
      ...plain.models,
      languageNames: () => ['m'],
      language: () => modelStreaming(whole('On roofs [1].'), prompts),
      languagePrices: () => undefined,
    };
    const scope = await scopeOf(operator, {}, { ...plain, models } as unknown as Context);
    const { signal } = new AbortController();
    await answerOnce(scope, toParams(), QUESTION, {}, { requestId: 'r', signal });
    expect(valuesIn(JSON.stringify(prompts))).toEqual(expected);
  });

  it('of a retriever’s pipelines is left out of what a stored chat finds', async () => {
    const scope = await scopeOf(operator);
    const corpus = toChatCorpus(scope, await getCorpus(scope, { retriever_id: retriever }));
    const { chunks } = await createSearch(scope, corpus, {}).retrieve(QUESTION);
    const byPipeline = chunks.map(({ pipelineId, chunk }) => [
      pipelineId,
      KEYS.filter((key) => key in chunk.metadata),
    ]);
    expect(Object.fromEntries(byPipeline)).toEqual({
      [town]: ['rank', 'room'],
      [harbour]: ['salary', 'shelf', 'room'],
    });
  });
});

describe('the keys that a pipeline excludes', () => {
  let orders: ChatOrder[];

  async function recordingScope() {
    orders = [];
    const begin = async (order: ChatOrder) => {
      orders.push(order);
      return new ReadableStream<Uint8Array>();
    };
    const objects = { ...plain.objects, chatStream: () => ({ begin }) };
    return scopeOf(operator, {}, { ...plain, objects } as unknown as Context);
  }
  const request = { messages: [{ role: 'user' as const, content: QUESTION }] };

  it('are part of the order of a stored chat', async () => {
    const options = { requestId: 'r', protocol: 'ui' } as const;
    await beginChat(await recordingScope(), { pipeline_id: town }, request, options);
    expect(orders).toMatchObject([{ excludedKeys: ['salary'], projectId: expect.any(String) }]);
  });

  it('are part of the order of a chat without a session', async () => {
    const options = { requestId: 'r', generation: {}, optionsAt: 'data' };
    await answerWithoutSession(await recordingScope(), { pipeline_id: town }, request, options);
    expect(orders).toMatchObject([{ excludedKeys: ['salary'], isResumable: false }]);
    expect(orders[0]).not.toHaveProperty('kept');
  });
});
