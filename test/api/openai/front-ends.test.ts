import { beforeAll, expect, it } from 'vitest';
import { PROMPTS } from '#test/chat/front-end-tasks/prompts.ts';
import { call } from '#test/support/client.ts';
import { completion, completionChunk, modelList } from '#test/support/openai-shapes.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

// The requests that chat front ends send, in their order of members and with their own extensions.

const CHAT = '/openai/v1/chat/completions';
const QUESTION = 'When was the Corran bridge opened?';
let model: string;

beforeAll(async () => {
  const id = await createPipeline();
  await addFiles(id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(id);
  model = `pipeline-${id}`;
});

const user = { role: 'user', content: QUESTION };
const weather = {
  type: 'function',
  function: {
    name: 'weather____get',
    description: 'Weather',
    parameters: { type: 'object', properties: {} },
  },
};

const REQUESTS: Record<string, object> = {
  'Open WebUI, question': {
    stream: true,
    messages: [{ role: 'system', content: 'You are helpful.' }, user],
    stream_options: { include_usage: true },
    files: [],
    features: { web_search: false },
    tool_servers: [],
    session_id: 's',
    chat_id: 'c',
    id: 'm',
    background_tasks: { title_generation: true },
  },
  'Open WebUI, question with native tools': {
    stream: true,
    messages: [user],
    tools: [{ ...weather, function: { ...weather.function, type: 'function' } }],
    max_completion_tokens: 500,
    reasoning_effort: 'medium',
    logit_bias: {},
  },
  'Open WebUI, choice of tools by prompt': {
    stream: false,
    messages: [
      {
        role: 'system',
        content: `Available Tools: [{"name": "weather"}]\nReturn only the JSON object. If no tools match, return {"tool_calls": []}`,
      },
      { role: 'user', content: `Query: ${QUESTION}` },
    ],
    metadata: { task: 'function_calling' },
  },
  'LibreChat, question with tools': {
    user: '65f0',
    stream: true,
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    messages: [user],
    tools: [weather],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    stream_options: { include_usage: true },
  },
  'LobeChat, question with a plugin': {
    frequency_penalty: 0,
    messages: [
      { role: 'system', content: '' },
      { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    ],
    presence_penalty: 0,
    stream: true,
    temperature: 0.5,
    tools: [weather],
    top_p: 1,
    user: 'lobe',
    enabledSearch: false,
  },
  'AnythingLLM, question': {
    messages: [
      { role: 'system', content: 'Given the following conversation, reply with an answer.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello!' },
      user,
    ],
    temperature: 0.7,
    max_tokens: 1024,
    stream: true,
  },
  'AnythingLLM, agent': {
    messages: [{ role: 'system', content: 'You are an agent.' }, user],
    tools: [weather],
    temperature: 0,
  },
  'AI SDK, tools and an object': {
    messages: [{ role: 'user', content: QUESTION }],
    response_format: { type: 'json_object' },
    tools: [weather],
    tool_choice: 'none',
    max_tokens: 200,
    seed: 5,
  },
  'LangChain, question': { messages: [user], n: 1, temperature: 0.2, stop: null, logprobs: false },
};

it.each(Object.entries(REQUESTS))('%s is answered from the documents', async (_, request) => {
  const answer = await call<string | Record<string, unknown>>('POST', CHAT, { body: { model, ...request } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  if (typeof answer.body !== 'string') {
    expect(completion.parse(answer.body).choices[0]!.message.content).toContain('1893');
    return;
  }
  const events = answer.body.split('\n\n').filter((event) => event.startsWith('data: '));
  expect(events.pop()).toBe('data: [DONE]');
  const chunks = events.map((event) => completionChunk.parse(JSON.parse(event.slice(6))));
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain('1893');
  if ('stream_options' in request) expect(chunks.at(-1)!.usage!.total_tokens).toBeGreaterThan(0);
});

it.each(PROMPTS)('$name is answered from the conversation', async ({ messages, answer }) => {
  const asked = { model, messages, stream: false, max_tokens: 1000, metadata: { task: 'title_generation' } };
  const { status, body } = await call<{ sluice: { retrieval: { task?: string } } }>('POST', CHAT, {
    body: asked,
  });
  expect(status).toBe(200);
  const { content } = completion.parse(body).choices[0]!.message;
  expect(typeof answer === 'string' ? content : JSON.parse(content!)).toEqual(answer);
  expect(body.sluice.retrieval.task).toBeDefined();
});

it('the list of models is found with and without a slash', async () => {
  for (const path of ['/openai/v1/models', '/openai/v1/models/']) {
    const { body } = await call('GET', path);
    expect(modelList.parse(body).data.map(({ sluice }) => (sluice as { id?: string }).id)).toBeDefined();
  }
});
