import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordAnswer } from '#src/chat/sessions/record-answer.ts';
import { createContext } from '#src/context/context.ts';
import { upload } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { createTenant } from '#test/support/tenants.ts';
import { openaiChat } from '#test/vendors/chat/protocols/openai.ts';
import { USAGE } from '#test/vendors/chat/protocols/protocol.ts';

const TOKENS = USAGE.input + USAGE.output;
const model = (name: string) => ({
  provider: 'openai_compatible',
  model: name,
  base_url: 'http://llm.test/v1',
});
const VARIABLES = {
  LLM_MODELS: JSON.stringify({ LLM_MODEL_01: model('one'), LLM_MODEL_02: model('two') }),
  LLM_DEFAULTS: JSON.stringify({ chat: 'LLM_MODEL_01' }),
};

interface Failure {
  code: string;
  detail: unknown;
}

async function chatting(variables?: Record<string, string>) {
  const tenant = await createTenant();
  const ask = clientOf(tenant.key, { ...VARIABLES, ...variables });
  const { body: pipeline } = await ask<{ id: string }>('POST', '/api/v1/pipelines', { name: 'papers' });
  const chat = async (model_name?: string, questions = ['What colour is the ferry?']) => {
    const answer = await ask<string & Failure>('POST', `/api/v1/pipelines/${pipeline.id}/chat`, {
      messages: questions.map((content) => ({ role: 'user', content })),
      ...(model_name && { data: { llm_parameters: { model_name } } }),
    });
    const [, by] = /"model":"([^"]+)"/.exec(String(answer.body)) ?? [];
    return { ...answer, by };
  };
  const settings = `/api/v1/projects/${tenant.projectId}/model-settings`;
  const used = async (query = '') =>
    (await ask<{ models: object[] }>('GET', `/api/v1/usage${query}`)).body.models;
  return { tenant, ask, chat, settings, used, pipelineId: pipeline.id };
}

let isBroken = false;

beforeEach(() => {
  isBroken = false;
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, { ...init, signal: null });
    if (isBroken) return new Response('{}', { status: 400 });
    const body: unknown = await request.json();
    const url = new URL(request.url);
    if (!openaiChat.streams(url, body)) {
      return Response.json(openaiChat.write('What colour is it?', 'whole', openaiChat.read(body)));
    }
    const events = openaiChat.events(['The ferry ', 'is green.'], 'whole', body);
    if (!Array.isArray(events)) throw new Error('the protocol has events');
    const lines = events.map(
      ({ data }) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
    return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
  });
});
afterEach(() => vi.unstubAllGlobals());

describe('the language model of a chat', () => {
  it('is the one that the request names, or the default for chats', async () => {
    const { chat } = await chatting();
    expect((await chat()).by).toBe('one');
    expect((await chat('LLM_MODEL_02')).by).toBe('two');
  });

  it('is rejected if its name is unknown, with the available names', async () => {
    const { chat } = await chatting();
    for (const name of ['LLM_MODEL_09', 'LLM_MODEL_99', 'builtin', '__proto__']) {
      const { status, body } = await chat(name);
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([
        {
          loc: ['body', 'data', 'llm_parameters', 'model_name'],
          msg: expect.stringContaining('LLM_MODEL_01, LLM_MODEL_02'),
        },
      ]);
    }
  });

  it('is the one chosen for the project', async () => {
    const { chat, ask, settings } = await chatting();
    expect((await ask('PUT', settings, { models: { chat: 'LLM_MODEL_02' } })).status).toBe(200);
    expect((await chat()).by).toBe('two');
    expect((await chat('LLM_MODEL_01')).by).toBe('one');
    await ask('PUT', settings, { models: { chat: 'builtin' } });
    expect((await chat()).by).toMatch(/^builtin\//);
    await ask('PUT', settings, {});
    expect((await chat()).by).toBe('one');
  });

  it('causes an error that names the misconfigured field but no value', async () => {
    const { chat, ask } = await chatting({
      LLM_MODELS: '{"LLM_MODEL_01":{"provider":"openai","api_key":"sk-secret"}}',
    });
    const { status, body } = await chat();
    expect([status, body.detail]).toEqual([503, expect.stringContaining('LLM_MODELS.LLM_MODEL_01.model')]);
    const health = await ask<{ checks: { models: { ok: boolean; error: string } } }>('GET', '/health');
    expect(health.status).toBe(503);
    expect(health.body.checks.models).toMatchObject({ ok: false });
    expect(health.body.checks.models.error).toContain('LLM_MODELS.LLM_MODEL_01.model');
    expect(JSON.stringify([body, health.body])).not.toContain('sk-secret');
  });
});

describe('the model settings of a project', () => {
  it('accept known model names and a number of tokens', async () => {
    const { ask, settings } = await chatting();
    const set = async (body: object) => (await ask<Failure>('PUT', settings, body)).status;
    expect(await set({ models: { chat: 'LLM_MODEL_07' } })).toBe(422);
    expect(await set({ models: { talk: 'LLM_MODEL_01' } })).toBe(422);
    expect(await set({ daily_tokens: -1 })).toBe(422);
    expect(await set({ daily_tokens: 1.5 })).toBe(422);
    expect(await set({ models: { chat: 'LLM_MODEL_02' }, daily_tokens: 5 })).toBe(200);
    expect((await ask('GET', settings)).body).toMatchObject({
      models: { chat: 'LLM_MODEL_02' },
      daily_tokens: 5,
      available_models: ['LLM_MODEL_01', 'LLM_MODEL_02'],
    });
  });
});

describe('the usage of language models', () => {
  it('is counted by day, purpose and model', async () => {
    const { chat, used } = await chatting();
    await chat();
    await chat();
    await chat('LLM_MODEL_02');
    const day = new Date().toISOString().slice(0, 10);
    const counts = (calls: number) => ({
      ...{ calls, failures: 0, estimated: 0, day, use: 'chat' },
      input_tokens: calls * USAGE.input,
      output_tokens: calls * USAGE.output,
    });
    expect(await used()).toMatchObject([
      { model: 'one', ...counts(2) },
      { model: 'two', ...counts(1) },
    ]);
    const at = (days: number) => new Date(Date.parse(day) + days * 24 * 3600 * 1000).toISOString();
    expect(await used(`?from=${at(0)}&to=${at(1)}`)).toHaveLength(2);
    expect(await used(`?from=${at(1)}`)).toEqual([]);
    expect(await used(`?to=${at(0)}`)).toEqual([]);
    expect(await used(`?to=${at(0.5)}`)).toHaveLength(2);
  });

  it('counts a failed call', async () => {
    const { chat, used } = await chatting();
    isBroken = true;
    expect(String((await chat()).body)).toContain('could not be completed');
    expect(await used()).toMatchObject([{ calls: 1, failures: 1, input_tokens: 0, output_tokens: 0 }]);
  });

  it.each<[string, Record<string, string>, object]>([
    ['the project', {}, { daily_tokens: TOKENS }],
    ['the installation', { LLM_DAILY_TOKENS: String(TOKENS) }, {}],
  ])('is limited by the budget of %s', async (_, variables, own) => {
    const { chat, ask, settings } = await chatting(variables);
    await ask('PUT', settings, own);
    expect((await chat()).status).toBe(200);
    const refused = await chat();
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(refused.body.detail).toContain('daily_tokens');
    const left = 24 * 3600 - ((Date.now() / 1000) % (24 * 3600));
    expect(Math.abs(Number(refused.headers.get('retry-after')) - left)).toBeLessThan(60);
    await ask('PUT', settings, { daily_tokens: 10 * TOKENS });
    expect((await chat()).status).toBe(200);
  });

  it('beyond the budget is reported in the stream if the answer has already started', async () => {
    const { tenant, chat, ask, settings, pipelineId } = await chatting();
    await ask('PUT', settings, { daily_tokens: TOKENS });
    await chat();
    const ctx = createContext({ ...env, ...VARIABLES }, createExecutionContext());
    const order = {
      ...{
        corpus: { pipelineId },
        projectId: tenant.projectId,
        streamId: 's',
        kept: { sessionId: 's', questionId: 'q', endsSession: false },
      },
      ...{ messageId: 'm', requestId: 'r', excludedKeys: [], isResumable: false },
      request: { messages: [{ role: 'user', content: 'What colour?' }] },
    };
    const said = await new Response(recordAnswer(ctx, order).read('ui')).text();
    expect(said).toMatch(/"type":"error","errorText":"[^"]*daily_tokens/);
    expect(said).toContain('"type":"finish","finishReason":"error"');
  });

  it('beyond the budget stops a request between its calls', async () => {
    const { ask, chat, settings, used } = await chatting();
    await ask('PUT', settings, { daily_tokens: TOKENS });
    const { status, body } = await chat(undefined, ['How old is the ferry?', 'Which colour?']);
    expect([status, String(body)]).toEqual([200, expect.stringContaining('daily_tokens')]);
    expect(await used()).toMatchObject([{ calls: 1 }]);
  });

  it('beyond the budget rejects new jobs', async () => {
    const variables = { LLM_DEFAULTS: JSON.stringify({ chat: 'LLM_MODEL_01', extract: 'LLM_MODEL_01' }) };
    const { tenant, ask, chat, settings } = await chatting(variables);
    const file_input = await upload('note.txt', 'The ferry is green.', { key: tenant.key });
    const data_schema = { type: 'object', properties: { colour: { type: 'string' } } };
    const extract = () =>
      ask<Failure>('POST', '/api/v2/extract', { file_input, configuration: { data_schema } });
    await ask('PUT', settings, { daily_tokens: TOKENS });
    expect((await extract()).status).toBeLessThan(300);
    await chat();
    const refused = await extract();
    expect([refused.status, refused.body.detail]).toEqual([429, expect.stringContaining('daily_tokens')]);
  });
});
