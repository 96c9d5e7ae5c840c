import { env } from 'cloudflare:workers';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { BASE } from '#test/support/fetch-service.ts';
import { failure } from '#test/support/openai-shapes.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { MODEL_SETTINGS, ModelEndpoint } from './model-endpoint.ts';

const QUESTION = 'When was the Corran bridge opened?';
const PATH = '/openai/v1/responses';
const apiKey = String(env.BOOTSTRAP_API_KEY);
let model: string;
let fileId: string;

beforeAll(async () => {
  const id = await createPipeline();
  [fileId = ''] = await addFiles(id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(id);
  model = `pipeline-${id}`;
});

afterEach(() => vi.restoreAllMocks());

function clients(settings: Record<string, string> = {}) {
  const service = startWith(settings);
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init));
  const common = { baseURL: `${BASE}/openai/v1`, apiKey, fetch };
  return { openai: new OpenAI({ ...common, maxRetries: 0 }), model: createOpenAI(common)(model) };
}

const schema = {
  type: 'object' as const,
  properties: { year: { type: 'string' as const, description: 'Year in which the bridge was opened' } },
  required: ['year'],
  additionalProperties: false,
};
const TOOL = { type: 'function' as const, name: 'get_tide', parameters: schema, strict: true };

describe('a response', () => {
  it('answers from the documents, with the file at each citation mark', async () => {
    const { openai } = clients();
    const answer = await openai.responses.create({
      model,
      input: QUESTION,
      metadata: { from: 'test' },
      include: ['file_search_call.results'],
      tools: [{ type: 'file_search', vector_store_ids: [model.replace('pipeline-', '')] }],
    });
    expect(answer.output_text).toContain('1893');
    expect(answer).toMatchObject({ status: 'completed', metadata: { from: 'test' }, store: false });
    const [search, message] = answer.output;
    expect(search).toMatchObject({
      type: 'file_search_call',
      queries: [QUESTION],
      results: [{ file_id: fileId, filename: 'corran.txt', text: expect.stringContaining('1893') }],
    });
    const [part] = (message as Extract<typeof message, { type: 'message' }>).content;
    const { annotations } = part as Extract<typeof part, { type: 'output_text' }>;
    expect(annotations).toEqual([
      {
        type: 'file_citation',
        file_id: fileId,
        filename: 'corran.txt',
        index: answer.output_text.indexOf('[1]'),
      },
    ]);
    expect(answer.usage!.total_tokens).toBeGreaterThan(0);
  });

  it('streams the events of the protocol in order', async () => {
    const { openai } = clients();
    const stream = await openai.responses.create({ model, input: QUESTION, stream: true });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const types = [...new Set(events.map(({ type }) => type))];
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const last = events.at(-1) as Extract<ResponseStreamEvent, { type: 'response.completed' }>;
    const whole = await openai.responses.create({ model, input: QUESTION });
    expect(last.response.output[0]).toMatchObject({
      content: (whole.output[0] as { content: object[] }).content,
    });
    expect(await openai.responses.stream({ model, input: QUESTION }).finalResponse()).toMatchObject({
      output_text: whole.output_text,
    });
  });

  it('continues the conversation of its items', async () => {
    const { openai } = clients();
    const answer = await openai.responses.create({
      model,
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', content: [] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { role: 'user', content: [{ type: 'input_text', text: QUESTION }] },
        { type: 'function_call', call_id: 'c1', name: 'get_tide', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'High.' },
      ],
    });
    expect(answer.output_text).toContain('1893');
  });

  it.each([
    [
      { tools: [{ type: 'file_search', vector_store_ids: Array(21).fill('a') }] },
      'tools.0.vector_store_ids',
      'at most 20',
    ],
    [{ conversation: 'conv_1' }, 'conversation', 'in `input`'],
    [{ background: true }, 'background', 'leave this field out'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'instructions'],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0', "'function' or 'file_search'"],
    [{ tools: [TOOL], tool_choice: 'required' }, 'tool_choice', 'configure one'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'a' }] }] },
      'input.0.content.0.type',
      'upload',
    ],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input.0', ''],
  ])('is refused with what to do instead: %j', async (more, param, words) => {
    const { status, body } = await call('POST', PATH, { body: { model, input: QUESTION, ...more } });
    expect(status).toBe(400);
    const { error } = failure.parse(body);
    expect(error.param).toMatch(new RegExp(`^${param.replaceAll('.', '\\.')}`));
    expect(error.message).toContain(words);
  });
});

describe('with a language model, a response', () => {
  const offered = { type: 'function' as const, name: 'get_tide', parameters: schema, strict: true };

  it('has the calls of functions, whole and streamed', async () => {
    const endpoint = new ModelEndpoint().listen();
    endpoint.reply = () => ({ tool: 'get_tide', arguments: '{"year":"1893"}' });
    const { openai } = clients(MODEL_SETTINGS);
    const asked = { model, input: QUESTION, tools: [offered] };
    const called = {
      type: 'function_call',
      call_id: 'call_1',
      name: 'get_tide',
      arguments: '{"year":"1893"}',
    };
    expect((await openai.responses.create(asked)).output).toMatchObject([called]);
    const streamed = await openai.responses.stream(asked).finalResponse();
    expect(streamed.output).toMatchObject([called]);
  });

  it('is incomplete if it was cut off, and failed if the model fails', async () => {
    const endpoint = new ModelEndpoint().listen();
    endpoint.reply = () => ({ text: 'In', finish: 'length' });
    const { openai } = clients(MODEL_SETTINGS);
    expect(await openai.responses.create({ model, input: QUESTION })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    endpoint.reply = () => ({ status: 400 });
    await expect(openai.responses.create({ model, input: QUESTION })).rejects.toMatchObject({ status: 502 });
    const stream = await openai.responses.create({ model, input: QUESTION, stream: true });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('response.failed');
  });

  it('works with the provider of the AI SDK for OpenAI: text, tools and objects', async () => {
    const endpoint = new ModelEndpoint().listen();
    const { model: sdk } = clients(MODEL_SETTINGS);
    const runs: unknown[] = [];
    const tools = {
      get_tide: tool({
        inputSchema: jsonSchema(schema),
        execute: async (input: unknown) => {
          runs.push(input);
          return 'High.';
        },
      }),
    };
    endpoint.reply = ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? { text: 'The tide is high, and the bridge opened in 1893. [1]' }
        : { tool: 'get_tide', arguments: '{"year":"1893"}' };
    const providerOptions = { openai: { store: false } };
    const asked = { model: sdk, prompt: QUESTION, tools, stopWhen: stepCountIs(3), providerOptions };
    expect((await generateText(asked)).text).toContain('1893');
    const streamed = streamText(asked);
    await streamed.consumeStream();
    expect(await streamed.text).toContain('1893');
    expect(runs).toEqual([{ year: '1893' }, { year: '1893' }]);
    endpoint.reply = () => ({ text: '{"year": "1893"}' });
    const output = Output.object({ schema: jsonSchema<{ year: string }>(schema) });
    expect((await generateText({ model: sdk, prompt: QUESTION, output, providerOptions })).output).toEqual({
      year: '1893',
    });
  });
});

it.each([
  ['/openai/v1/uploads', '/v1/files'],
  ['/openai/v1/assistants', '/v1/chat/completions'],
  ['/openai/v1/completions', '/v1/chat/completions'],
])('%s says what to use instead', async (path, instead) => {
  const { status, body } = await call('POST', path, { body: {} });
  expect(status).toBe(404);
  expect(failure.parse(body).error).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(instead),
  });
});
