import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany, generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, completionChunk } from '#test/support/openai-shapes.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { GatedModel } from './gated-model.ts';
import { SyncClient } from './pipelines.ts';
import { Service } from './service.ts';

// Tests unmodified clients of the OpenAI protocol with two projects: one without a language model, and one
// whose language model is controlled by the test.

const TEXT = 'The lighthouse keeper is Matilda Oyelaran.';
const QUESTION = 'Who is the lighthouse keeper?';
const messages = [{ role: 'user' as const, content: QUESTION }];

const model = new GatedModel();
let service: Service;
/** Clients of the project without a language model and of the other project. */
let plain: OpenAI;
let gated: OpenAI;
let options: { baseURL: string; apiKey: string };
let projectId: string;

beforeAll(async () => {
  service = new Service({ LLM_BASE_URL: await model.start(), LLM_MODEL: 'gated' });
  await service.start();
  options = { baseURL: `${service.base}/openai/v1`, apiKey: service.key };
  projectId = (await service.call<{ id: string }>('POST', '/api/v1/projects', { name: 'plain' })).id;
  await service.call('PUT', `/api/v1/projects/${projectId}/model-settings`, { models: { chat: 'builtin' } });
  const pipelines = new SyncClient(service);
  for (const query of ['', `?project_id=${projectId}`]) {
    const made = await service.call<{ id: string }>('POST', `/api/v1/pipelines${query}`, { name: 'rock' });
    const document = [{ text: TEXT, metadata: { web_url: 'https://rock.example/light' } }];
    await service.call('POST', `/api/v1/pipelines/${made.id}/documents`, document);
    expect((await pipelines.sync(made.id)).status).toBe('SUCCESS');
  }
  gated = new OpenAI({ ...options, maxRetries: 0 });
  plain = new OpenAI({ ...options, maxRetries: 0, defaultQuery: { project_id: projectId } });
});

afterAll(async () => {
  await service?.end();
  model.stop();
});

const inTime = (promise: Promise<unknown>) =>
  Promise.race([
    promise,
    new Promise((_, reject) => setTimeout(() => reject(new Error('it took too long')), PATIENCE_MS)),
  ]);

/** Returns the error of a call that must fail. */
const catchFailure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('OpenAI client', () => {
  it('lists models and retrieves one by name', async () => {
    const names: string[] = [];
    for await (const each of plain.models.list()) names.push(each.id);
    expect(names).toEqual(['rock']);
    expect(await plain.models.retrieve('rock')).toMatchObject({ id: 'rock', object: 'model' });
  });

  it('gets a complete answer with citations and usage', async () => {
    const answer = await plain.chat.completions.create({ model: 'rock', messages });
    completion.parse(answer);
    const { message, finish_reason } = answer.choices[0]!;
    expect(message.content).toContain('Matilda Oyelaran');
    expect(finish_reason).toBe('stop');
    const { url, start_index, end_index } = message.annotations![0]!.url_citation;
    expect(url).toBe('https://rock.example/light');
    expect(message.content!.slice(start_index, end_index)).toBe('[1]');
    expect(answer.usage!.completion_tokens).toBeGreaterThan(0);
  });

  it('streams in protocol order and assembles the answer', async () => {
    const stream = gated.chat.completions.stream({
      model: 'rock',
      messages,
      stream_options: { include_usage: true },
    });
    // The client passes on only events that arrive after this call.
    const chunks = stream[Symbol.asyncIterator]();
    const seen: string[] = [];
    const said = await model.next();
    said.say('Matilda ');
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      const chunk = next.value;
      completionChunk.parse(chunk);
      const { delta, finish_reason } = chunk.choices[0] ?? {};
      if (delta?.role) seen.push('role');
      else if (delta?.content) seen.push(delta.content.trim());
      else if (delta && 'annotations' in delta) seen.push('annotations');
      else if (finish_reason) seen.push(finish_reason);
      else seen.push('usage');
      // The model continues only after its first words have arrived.
      if (delta?.content === 'Matilda ' || delta?.content === 'Matilda') {
        said.say('Oyelaran [1].');
        said.end();
      }
    }
    expect(seen[0]).toBe('role');
    expect(seen[1]).toBe('Matilda');
    expect(seen.slice(-3)).toEqual(['annotations', 'stop', 'usage']);
    const whole = await stream.finalChatCompletion();
    expect(whole.choices[0]!.message.content).toBe('Matilda Oyelaran [1].');
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
  });

  it('passes protocol settings to the model', async () => {
    const answering = gated.chat.completions.create({
      model: 'rock',
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
      ...{
        temperature: 0,
        max_tokens: 7,
        top_p: 0.5,
        stop: ['END'],
        presence_penalty: 1,
        frequency_penalty: -1,
      },
      seed: 11,
    });
    const said = await model.next();
    said.say('Matilda Oyelaran.');
    said.end();
    const answer = await answering;
    expect(answer).not.toHaveProperty('warnings');
    expect(answer).toMatchObject({ sluice: { answered_by: 'gated' } });
    expect(model.asked.at(-1)).toMatchObject({
      ...{
        temperature: 0,
        max_tokens: 7,
        top_p: 0.5,
        stop: ['END'],
        presence_penalty: 1,
        frequency_penalty: -1,
      },
      seed: 11,
    });
    expect(model.asked.at(-1)!.messages).toContainEqual({ role: 'system', content: 'Be brief.' });
  });

  it('reads base64 vectors', async () => {
    const input = [TEXT, 'Cats sleep.'];
    const coded = await plain.embeddings.create({ model: 'rock', input });
    const floats = await plain.embeddings.create({ model: 'rock', input, encoding_format: 'float' });
    expect(coded.data.map(({ embedding }) => embedding)).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
    expect(coded.usage.total_tokens).toBeGreaterThan(0);
  });

  it('throws its own classes of errors', async () => {
    const ask = (client: OpenAI, more: object = {}) =>
      catchFailure(client.chat.completions.create({ model: 'rock', messages, ...more }));
    const nobody = new OpenAI({ ...options, apiKey: 'slc_nobody', maxRetries: 0 });
    expect(await ask(nobody)).toBeInstanceOf(OpenAI.AuthenticationError);
    const unknown = await ask(plain, { model: 'nothing' });
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model', requestID: expect.any(String) });
    const two = await ask(plain, { n: 2 });
    expect(two).toBeInstanceOf(OpenAI.BadRequestError);
    expect(two).toMatchObject({ param: 'n', type: 'invalid_request_error' });
    expect(await catchFailure(plain.embeddings.create({ model: 'rock', input: [[200_000]] }))).toMatchObject({
      status: 400,
      param: expect.stringMatching(/^input/),
    });
  });

  it('reports a model failure in the answer or stream', async () => {
    const whole = catchFailure(gated.chat.completions.create({ model: 'rock', messages }));
    (await model.next()).cut();
    expect(await whole).toBeInstanceOf(OpenAI.InternalServerError);
    expect(await whole).toMatchObject({ status: 502, type: 'server_error' });

    const stream = await gated.chat.completions.create({ model: 'rock', messages, stream: true });
    const reading = catchFailure(
      (async () => {
        for await (const _ of stream);
      })(),
    );
    const said = await model.next();
    said.say('Matilda ');
    said.cut();
    expect(await reading).toBeInstanceOf(OpenAI.APIError);
    expect(await reading).toMatchObject({ type: 'server_error', message: expect.stringContaining('answer') });
  });

  it('aborts a streamed answer when it disconnects', async () => {
    const stream = await gated.chat.completions.create({ model: 'rock', messages, stream: true });
    const streamed = await model.next();
    streamed.say('Matilda ');
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await inTime(streamed.left);
  });
});

describe('AI SDK', () => {
  const sluice = () =>
    createOpenAICompatible({
      ...options,
      name: 'sluice',
      includeUsage: true,
      queryParams: { project_id: projectId },
    });

  it('generates and streams text', async () => {
    const { text, usage, finishReason } = await generateText({ model: sluice()('rock'), prompt: QUESTION });
    expect(text).toContain('Matilda Oyelaran');
    expect(finishReason).toBe('stop');
    expect(usage.outputTokens).toBeGreaterThan(0);

    const streamed = streamText({ model: sluice()('rock'), prompt: QUESTION });
    const deltas: string[] = [];
    for await (const delta of streamed.textStream) deltas.push(delta);
    expect(deltas.join('')).toBe(text);
    expect(await streamed.finishReason).toBe('stop');
    expect((await streamed.usage).outputTokens).toBe(usage.outputTokens);
  });

  it('passes settings specific to this service', async () => {
    const filters = { filters: [{ key: 'web_url', operator: '==', value: 'https://elsewhere.example' }] };
    const { text } = await generateText({
      model: sluice()('rock'),
      prompt: QUESTION,
      providerOptions: { sluice: { sluice: { retrieval_parameters: { search_filters: filters } } } },
    });
    expect(text).not.toContain('Matilda');
  });

  it('returns citations as sources if its provider supports them', async () => {
    const openai = createOpenAI({ ...options, fetch: inProject });
    const { sources } = await generateText({ model: openai.chat('rock'), prompt: QUESTION });
    expect(sources).toContainEqual(
      expect.objectContaining({ sourceType: 'url', url: 'https://rock.example/light' }),
    );
    const streamed = streamText({ model: openai.chat('rock'), prompt: QUESTION });
    await streamed.consumeStream();
    expect((await streamed.sources).map((source) => ('url' in source ? source.url : ''))).toContain(
      'https://rock.example/light',
    );
  });

  it('embeds many texts', async () => {
    const { embeddings, usage } = await embedMany({
      model: sluice().embeddingModel('rock'),
      values: [TEXT, 'Cats sleep.'],
    });
    expect(embeddings).toHaveLength(2);
    expect(embeddings[0]).not.toEqual(embeddings[1]);
    expect(usage.tokens).toBeGreaterThan(0);
  });

  it('throws its own error class with the reason', async () => {
    const failed = await catchFailure(
      generateText({ model: sluice()('nothing'), prompt: QUESTION, maxRetries: 0 }),
    );
    expect(APICallError.isInstance(failed)).toBe(true);
    expect(failed).toMatchObject({ statusCode: 404, message: expect.stringContaining('nothing') });
  });
});

/** Adds the project to the URL, because the OpenAI provider does not support additional query parameters. */
const inProject: typeof fetch = (input, init) => {
  const url = new URL(String(input));
  url.searchParams.set('project_id', projectId);
  return fetch(url, init);
};
