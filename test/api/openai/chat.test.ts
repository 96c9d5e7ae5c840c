import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { type CompletionChunk, completion, completionChunk, failure } from '#test/support/openai-shapes.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const PATH = '/openai/v1/chat/completions';
const user = (content: unknown) => ({ role: 'user', content });
const OPENED = 'When was the Corran bridge opened?';

interface Completion {
  choices: {
    message: { content: string; annotations: { url_citation: Citation }[] };
    finish_reason: string;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  warnings?: { field: string; reason: string }[];
}

interface Citation {
  start_index: number;
  end_index: number;
  url: string;
  title: string;
}

let corran: Promise<string> | undefined;

/** Creates a pipeline with two documents once, and returns its model name. */
function bridges(): Promise<string> {
  corran ??= (async () => {
    const id = await createPipeline();
    await addFiles(id, {
      'corran.txt': 'The Corran bridge was opened in 1893. The colour of the Corran bridge is green.',
      'ardgour.txt': 'The Ardgour ferry carries nine cars. The colour of the Ardgour ferry is red.',
    });
    await sync(id);
    return `pipeline-${id}`;
  })();
  return corran;
}

async function ask(body: object) {
  const answer = await call<Completion>('POST', PATH, { body: { model: await bridges(), ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  completion.parse(answer.body);
  return { ...answer.body, headers: answer.headers, ...answer.body.choices[0]! };
}

async function refused(body: object) {
  const answer = await call('POST', PATH, {
    body: { model: await bridges(), messages: [user('?')], ...body },
  });
  expect(answer.status).toBe(400);
  return failure.parse(answer.body).error;
}

async function stream(body: object) {
  const sent = { model: await bridges(), stream: true, ...body };
  const answer = await call<string>('POST', PATH, { body: sent });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events = answer.body.split('\n\n').filter((event) => event.startsWith('data: '));
  expect(events.at(-1)).toBe('data: [DONE]');
  const chunks: CompletionChunk[] = events.slice(0, -1).map((event) => {
    const value = JSON.parse(event.slice('data: '.length)) as CompletionChunk;
    completionChunk.parse(value);
    return value;
  });
  return { chunks, headers: answer.headers };
}

describe('a chat completion', () => {
  it('answers from the documents, with a link at each citation mark', async () => {
    const { message, finish_reason, usage } = await ask({ messages: [user(OPENED)] });
    expect(message.content).toContain('1893');
    expect(finish_reason).toBe('stop');
    expect(message.annotations.length).toBeGreaterThan(0);
    for (const { url_citation: cited } of message.annotations) {
      expect(message.content.slice(cited.start_index, cited.end_index)).toMatch(/^\[\d+\]$/);
      expect(cited.url).toMatch(
        /^http:\/\/sluice\.test\/console\/indexes\/[0-9a-f-]{36}\/files\/[0-9a-f-]{36}\?/,
      );
    }
    expect(message.annotations.map(({ url_citation }) => url_citation.title)).toContain('corran.txt, page 1');
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.completion_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  });

  it('links to the document in its original system', async () => {
    const id = await createPipeline();
    const metadata = { web_url: 'https://wiki.example/bridges' };
    const text = 'The Corran bridge was opened in 1893.';
    await call('POST', `/api/v1/pipelines/${id}/documents`, { body: [{ text, metadata }] });
    await sync(id);
    const { message } = await ask({ model: `pipeline-${id}`, messages: [user(OPENED)] });
    expect(message.annotations[0]!.url_citation.url).toBe(metadata.web_url);
  });

  it('uses the earlier messages as history, as text or parts', async () => {
    const parts = [
      { type: 'text', text: 'And what colour' },
      { type: 'text', text: ' is it?' },
    ];
    const history = [
      user('How many cars does the Ardgour ferry carry?'),
      { role: 'assistant', content: 'Nine.' },
    ];
    const { message } = await ask({ messages: [...history, user(parts)] });
    expect(message.content).toContain('red');
    expect(message.content).not.toContain('green');
  });

  it('is not stored', async () => {
    const pipeline = await createPipeline();
    await ask({ model: `pipeline-${pipeline}`, messages: [user(OPENED)] });
    const { body } = await call<{ chat_sessions: unknown[] } | unknown[]>(
      'GET',
      `/api/v1/pipelines/${pipeline}/chat-sessions`,
    );
    expect(JSON.stringify(body)).not.toContain(OPENED);
    expect(JSON.stringify(body)).not.toMatch(/"id"/);
  });

  it('accepts retrieval parameters', async () => {
    const filters = { filters: [{ key: 'file_name', operator: '==', value: 'ardgour.txt' }] };
    const sluice = { retrieval_parameters: { search_filters: filters } };
    const { message } = await ask({ messages: [user('What colour is it?')], sluice });
    expect(message.content).toContain('red');
    expect(message.content).not.toContain('green');
    const bad = await refused({ sluice: { retrieval_parameters: { alpha: 2 } } });
    expect(bad.param).toBe('sluice.retrieval_parameters.alpha');
    const unknown = await refused({ sluice: { llm_parameters: { model_name: 'LLM_MODEL_09' } } });
    expect(unknown.param).toBe('sluice.llm_parameters.model_name');
  });

  it('asks all pipelines of a retriever', async () => {
    const pipeline_id = (await bridges()).slice('pipeline-'.length);
    const name = `retriever ${crypto.randomUUID()}`;
    const pipelines = [{ pipeline_id, name: 'p', description: 'd' }];
    await call('POST', '/api/v1/retrievers', { body: { name, pipelines } });
    const { message } = await ask({ model: name, messages: [user(OPENED)] });
    expect(message.content).toContain('1893');
    expect(message.annotations.length).toBeGreaterThan(0);
  });
});

describe('a parameter that an answer cannot follow', () => {
  it('causes a warning in the body and in a header if it has no effect', async () => {
    const { warnings = [], headers } = await ask({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { ...user(OPENED), name: 'Ada' },
      ],
      ...{ temperature: 0.7, max_tokens: 50, stop: ['END'], user: 'u', store: false, n: 1, colour: 'blue' },
    });
    const fields = warnings.map(({ field }) => field).toSorted();
    const unfollowed = [
      'messages.0',
      'messages.1.name',
      'temperature',
      'max_tokens',
      'stop',
      'user',
      'colour',
    ];
    expect(fields).toEqual(unfollowed.toSorted());
    for (const field of fields) expect(headers.get('x-warnings')).toContain(`${field}: `);
    const { warnings: none, headers: plain } = await ask({ messages: [user(OPENED)] });
    expect(none).toBeUndefined();
    expect(plain.has('x-warnings')).toBe(false);
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'tools.0.type'],
    [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools.0.function.name'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice'],
    [{ response_format: { type: 'grammar' } }, 'response_format.type'],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'string' } } } },
      'response_format.json_schema.schema.type',
    ],
    [{ modalities: ['text', 'audio'] }, 'modalities.1'],
    [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ messages: [user([{ type: 'input_audio', input_audio: {} }])] }, 'messages.0.content.0.type'],
    [{ messages: [{ role: 'assistant', content: 'Yes.' }] }, 'messages'],
    [{ temperature: 3 }, 'temperature'],
  ])('is rejected if ignoring it would mislead: %j', async (body, param) => {
    const error = await refused(body);
    expect(error).toMatchObject({ type: 'invalid_request_error', param });
    expect(error.message).toContain(`${param}: `);
  });

  it('causes no warning if it is null or the default', async () => {
    const nothing = { n: 1, tools: [], response_format: { type: 'text' }, modalities: ['text'], audio: null };
    const { warnings } = await ask({ messages: [user(OPENED)], ...nothing, logprobs: false, stop: null });
    expect(warnings).toBeUndefined();
  });
});

describe('without a language model', () => {
  it('answers from the documents although tools are offered, with a warning', async () => {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];
    for (const choice of ['auto', 'none', null]) {
      const { message, warnings, finish_reason } = await ask({
        ...{ messages: [user(OPENED)], tools, tool_choice: choice, logprobs: true, top_logprobs: 2 },
      });
      expect(message.content).toContain('1893');
      expect(message).not.toHaveProperty('tool_calls');
      expect(finish_reason).toBe('stop');
      expect(warnings?.map(({ field }) => field).toSorted()).toEqual(['logprobs', 'tools', 'top_logprobs']);
    }
  });

  it('continues a conversation in which tools were called', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    const { message } = await ask({
      messages: [
        user(OPENED),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'Rain.' },
      ],
    });
    expect(message.content).toContain('1893');
  });

  it('extracts the values of a JSON schema from the passages found', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', description: 'Colour of the Corran bridge' } },
      required: ['colour'],
      additionalProperties: false,
    };
    const json_schema = { name: 'bridge', schema, strict: true };
    const { message, warnings } = await ask({
      messages: [user('What colour is the Corran bridge?')],
      response_format: { type: 'json_schema', json_schema },
    });
    expect(Object.keys(JSON.parse(message.content) as object)).toEqual(['colour']);
    expect(message.annotations).toEqual([]);
    expect(warnings).toBeUndefined();
    // Clients that cannot send a schema as the format write it into the prompt.
    const prompt = `JSON schema:\n${JSON.stringify(schema)}\nYou MUST answer with a JSON object that matches it.`;
    const { message: prompted } = await ask({
      messages: [{ role: 'system', content: prompt }, user('What colour is the Corran bridge?')],
      response_format: { type: 'json_object' },
    });
    expect(prompted.content).toBe(message.content);
  });

  it('wraps the answer into an object if no schema is known', async () => {
    const { message, warnings } = await ask({
      messages: [user(OPENED)],
      response_format: { type: 'json_object' },
    });
    expect((JSON.parse(message.content) as { answer: string }).answer).toContain('1893');
    expect(message.annotations).toEqual([]);
    expect(warnings?.map(({ field }) => field)).toEqual(['response_format']);
  });

  it('answers a prompt for a title from the conversation, without a search', async () => {
    const messages = [
      user(OPENED),
      { role: 'assistant', content: 'In 1893.' },
      user('Write a title for this chat.'),
    ];
    const { message, sluice } = (await ask({ messages })) as unknown as {
      message: { content: string; annotations: unknown[] };
      sluice: { answered_by: string; retrieval: object };
    };
    expect(message.content).toBe('Corran bridge opened');
    expect(message.annotations).toEqual([]);
    expect(sluice).toEqual({ answered_by: 'builtin/front-end-tasks-1', retrieval: { task: 'title' } });
    const { chunks } = await stream({ messages });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(message.content);
  });
});

describe('a streamed chat completion', () => {
  const joinText = (chunks: CompletionChunk[]) =>
    chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

  it('sends the role first, then the text, the annotations and the finish reason', async () => {
    const { chunks } = await stream({ messages: [user(OPENED)] });
    const deltas = chunks.map(({ choices }) => choices[0]!.delta);
    expect(deltas[0]).toMatchObject({ role: 'assistant', content: '' });
    expect(deltas.filter(({ role }) => role)).toHaveLength(1);
    expect(chunks.map(({ choices }) => choices[0]!.finish_reason)).toEqual([
      ...chunks.slice(1).map(() => null),
      'stop',
    ]);
    expect(deltas.at(-2)!.annotations!.length).toBeGreaterThan(0);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    const whole = await ask({ messages: [user(OPENED)] });
    expect(joinText(chunks)).toBe(whole.message.content);
    expect(deltas.at(-2)!.annotations).toEqual(whole.message.annotations);
  });

  it('sends the usage in a separate chunk on request', async () => {
    const messages = [user(OPENED)];
    const { chunks } = await stream({ messages, stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: (await ask({ messages })).usage });
    for (const { usage } of chunks.slice(0, -1)) expect(usage).toBeNull();
  });

  it('sends warnings in its first chunk and in a header', async () => {
    const { chunks, headers } = await stream({ messages: [user(OPENED)], temperature: 1, user: 'u' });
    const told = chunks[0]!.warnings!.map(({ field }) => field);
    expect(told.toSorted()).toEqual(['temperature', 'user']);
    for (const field of told) expect(headers.get('x-warnings')).toContain(`${field}: `);
  });
});
