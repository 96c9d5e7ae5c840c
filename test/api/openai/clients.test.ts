import { env } from 'cloudflare:workers';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startWith } from '#test/support/configured.ts';
import { BASE } from '#test/support/fetch-service.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { MODEL_SETTINGS, ModelEndpoint, type Reply } from './model-endpoint.ts';

// Unmodified clients of npm against the service, with and without a language model.

const QUESTION = 'When was the Corran bridge opened?';
const TOOL_NAME = 'get_tide';
const schema = {
  type: 'object' as const,
  properties: { year: { type: 'string' as const, description: 'Year in which the bridge was opened' } },
  required: ['year'],
  additionalProperties: false,
};

const apiKey = String(env.BOOTSTRAP_API_KEY);
let name: string;

beforeAll(async () => {
  const id = await createPipeline();
  await addFiles(id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(id);
  name = `pipeline-${id}`;
});

afterEach(() => vi.restoreAllMocks());

function clients(settings: Record<string, string> = {}) {
  const service = startWith(settings);
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init));
  const common = { baseURL: `${BASE}/openai/v1`, apiKey, fetch };
  const provider = createOpenAICompatible({ ...common, name: 'sluice', includeUsage: true });
  const strict = createOpenAICompatible({ ...common, name: 'sluice', supportsStructuredOutputs: true })(name);
  return { openai: new OpenAI({ ...common, maxRetries: 0 }), model: provider(name), strict, provider };
}

function withModel(reply: ModelEndpoint['reply']) {
  const endpoint = new ModelEndpoint().listen();
  endpoint.reply = reply;
  return { endpoint, ...clients(MODEL_SETTINGS) };
}

const openAiTool = {
  type: 'function' as const,
  function: { name: TOOL_NAME, description: 'Height of the tide', parameters: schema },
};
const runs: unknown[] = [];
const tools = {
  [TOOL_NAME]: tool({
    description: 'Height of the tide',
    inputSchema: jsonSchema(schema),
    execute: (input: unknown) => {
      runs.push(input);
      return Promise.resolve('4 metres');
    },
  }),
};

/** Calls the tool first, and answers when its output is there. */
const callsOnce = ({ messages }: ModelEndpoint['calls'][number]): Reply =>
  messages.some(({ role }) => role === 'tool')
    ? { text: 'Opened in 1893. [1] The tide is 4 metres.' }
    : { tool: TOOL_NAME, arguments: '{"year":"1893"}' };

describe('without a language model', () => {
  it('the AI SDK generates and streams text, and offers tools that nobody calls', async () => {
    const { model } = clients();
    const whole = await generateText({ model, prompt: QUESTION, tools });
    expect(whole.text).toContain('1893');
    expect(whole.toolCalls).toEqual([]);
    const streamed = streamText({ model, prompt: QUESTION, tools });
    let text = '';
    for await (const delta of streamed.textStream) text += delta;
    expect(text).toBe(whole.text);
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
  });

  it('the AI SDK generates an object if its provider sends schemas', async () => {
    const { model, strict } = clients();
    const output = Output.object({ schema: jsonSchema<{ year: string | null }>(schema) });
    const whole = await generateText({ model: strict, prompt: QUESTION, output });
    expect(Object.keys(whole.output)).toEqual(['year']);
    const streamed = streamText({ model: strict, prompt: QUESTION, output });
    await streamed.consumeStream();
    expect(await streamed.output).toEqual(whole.output);
    // Without a schema, the object has the answer as text.
    const answered = await generateText({ model, prompt: QUESTION, output: Output.json() });
    expect((answered.output as { answer: string }).answer).toContain('1893');
  });

  it('the AI SDK embeds many texts, with fewer dimensions on request', async () => {
    const { provider } = clients();
    const model = provider.embeddingModel(name);
    const { embeddings } = await embedMany({
      model,
      values: ['The bridge is old.', 'Cats sleep.'],
      providerOptions: { sluice: { dimensions: 32 } },
    });
    expect(embeddings.map(({ length }) => length)).toEqual([32, 32]);
    expect(embeddings[0]).not.toEqual(embeddings[1]);
  });

  it('the client of OpenAI asks, streams, parses and embeds', async () => {
    const { openai } = clients();
    const messages = [{ role: 'developer' as const, content: 'Be brief.' }, user(QUESTION)];
    const common = { model: name, messages, tools: [openAiTool], tool_choice: 'auto' as const };
    const whole = await openai.chat.completions.create({ ...common, n: 1, seed: 1, logprobs: true });
    expect(whole.choices[0]!.message.content).toContain('1893');
    expect(whole.choices[0]!.logprobs).toBeNull();
    const stream = openai.chat.completions.stream({ ...common, stream_options: { include_usage: true } });
    expect(await stream.finalContent()).toBe(whole.choices[0]!.message.content);
    expect((await stream.totalUsage()).total_tokens).toBe(whole.usage!.total_tokens);
    const parsed = await openai.chat.completions.parse({
      model: name,
      messages: [user(QUESTION)],
      response_format: { type: 'json_schema', json_schema: { name: 'opening', schema, strict: true } },
    });
    expect(Object.keys(parsed.choices[0]!.message.parsed ?? {})).toEqual(['year']);
    const input = [
      [15339, 1917],
      [34, 1900],
    ];
    expect((await openai.embeddings.create({ model: name, input })).data).toHaveLength(2);
  });

  it('the client of OpenAI learns what to do if a tool is required', async () => {
    const { openai } = clients();
    const asked = openai.chat.completions.create({
      model: name,
      messages: [user(QUESTION)],
      tools: [openAiTool],
      tool_choice: 'required',
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param: 'tool_choice',
      message: expect.stringContaining('send `auto` or `none`'),
    });
  });
});

const user = (content: string) => ({ role: 'user' as const, content });

describe('with a language model', () => {
  it('the AI SDK runs a tool, and the next answer is grounded in passages and in its output', async () => {
    const { endpoint, model } = withModel(callsOnce);
    runs.length = 0;
    const { text, steps } = await generateText({ model, prompt: QUESTION, tools, stopWhen: stepCountIs(3) });
    expect(text).toBe('Opened in 1893. [1] The tide is 4 metres.');
    expect(steps).toHaveLength(2);
    expect(runs).toEqual([{ year: '1893' }]);
    const [first, second] = endpoint.calls;
    expect(first!.tools?.map((each) => each.function.name)).toEqual([TOOL_NAME]);
    for (const { messages } of [first!, second!]) {
      expect(JSON.stringify(messages[0])).toContain('The Corran bridge was opened in 1893.');
    }
    expect(second!.messages.at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_1',
      content: '4 metres',
    });
    expect(second!.messages.at(-2)!.tool_calls).toMatchObject([
      { id: 'call_1', function: { name: TOOL_NAME } },
    ]);
  });

  it('the AI SDK streams a tool call and the answer after it', async () => {
    const { model } = withModel(callsOnce);
    runs.length = 0;
    const streamed = streamText({ model, prompt: QUESTION, tools, stopWhen: stepCountIs(3) });
    await streamed.consumeStream();
    expect(await streamed.text).toBe('Opened in 1893. [1] The tide is 4 metres.');
    expect(runs).toEqual([{ year: '1893' }]);
  });

  it('the client of OpenAI receives tool calls, whole and streamed', async () => {
    const { openai, endpoint } = withModel(callsOnce);
    const asked = { model: name, messages: [user(QUESTION)], tools: [openAiTool] };
    const called = {
      id: 'call_1',
      type: 'function',
      function: { name: TOOL_NAME, arguments: '{"year":"1893"}' },
    };
    const whole = await openai.chat.completions.create({
      ...asked,
      tool_choice: { type: 'function', function: { name: TOOL_NAME } },
    });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [called] },
    });
    expect(endpoint.calls[0]!.tool_choice).toEqual({ type: 'function', function: { name: TOOL_NAME } });
    const stream = openai.chat.completions.stream(asked);
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]!.finish_reason).toBe('tool_calls');
    expect(choices[0]!.message.tool_calls).toMatchObject([called]);
    const none = await openai.chat.completions.create({ ...asked, tool_choice: 'none' });
    expect(none.choices[0]!.message.tool_calls).toHaveLength(1);
    expect(endpoint.calls.at(-1)).not.toHaveProperty('tools');
  });

  it('an answer in JSON is whole JSON without citations', async () => {
    const { endpoint, openai } = withModel(() => ({ text: '{"years": [1, 2]}' }));
    const format = { type: 'json_schema' as const, json_schema: { name: 'opening', schema, strict: true } };
    const asked = { model: name, messages: [user(QUESTION)], response_format: format };
    const { message } = (await openai.chat.completions.create(asked)).choices[0]!;
    expect(message.content).toBe('{"years": [1, 2]}');
    expect(message.annotations).toEqual([]);
    expect(endpoint.calls[0]!.response_format!.type).toBe('json_schema');
    expect(JSON.stringify(endpoint.calls[0]!.messages[0])).toContain('Write no numbers of passages');
    endpoint.reply = () => ({ text: 'The year is 1893.' });
    await expect(openai.chat.completions.create(asked)).rejects.toMatchObject({ status: 502 });
  });

  it('a prompt for a title goes to the model without passages', async () => {
    const { endpoint, openai } = withModel(() => ({ text: 'Bridges' }));
    const messages = [
      user(QUESTION),
      { role: 'assistant' as const, content: 'In 1893.' },
      user('Write a short title for this conversation.'),
    ];
    const { choices } = await openai.chat.completions.create({ model: name, messages });
    expect(choices[0]!.message.content).toBe('Bridges');
    expect(endpoint.calls).toHaveLength(1);
    expect(endpoint.calls[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});
