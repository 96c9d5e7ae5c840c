import { afterEach, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { operatorDeps } from '#src/models/deps.ts';
import { openaiCompatible } from '#src/models/language/openai-compatible.ts';
import { configuredLanguage } from '#src/models/language/registry.ts';
import type { Settings } from '#src/settings.ts';
import { type Ending, FakeChat, languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';

const KEY = 'key-of-the-model';
const FINISH = { whole: 'stop', cut: 'length', refused: 'content_filter' };
const KNOWN = new Set(['model', 'messages', 'temperature', 'max_tokens', 'response_format']);
const model = new FakeChat();

interface Body {
  model: string;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema: { schema: unknown; strict: boolean } };
}

/** Chat completions as far as one answer needs them, and nothing else. */
async function serve(request: Request): Promise<Response> {
  const refused = (status: number, message: string) => Response.json({ error: { message } }, { status });
  if (request.url !== 'http://llm.test/v1/chat/completions') return refused(404, 'no such path');
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return refused(401, 'wrong key');
  const body = (await request.json()) as Body;
  const { messages, response_format: format } = body;
  const unknown = Object.keys(body).find((name) => !KNOWN.has(name));
  const isKnown = !unknown && body.model === 'talker' && (!format || format.type === 'json_schema');
  if (!isKnown) return refused(400, `not in the protocol: ${unknown}`);
  const said = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
  const asked = {
    system: said('system'),
    prompt: [said('user')].flat(2).join(),
    ...(format && { schema: format.json_schema.schema, strict: format.json_schema.strict }),
  };
  return model.answer(asked, (content, ending) => {
    const choices = [{ index: 0, ...choiceOf(content, ending) }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'talker', choices, usage });
  });
}

/** Where a refusal has words they stand in a member of their own, and the answer ends as if all were well. */
function choiceOf(content: string, ending: Ending) {
  if (ending === 'refused' && content !== '') {
    return { message: { role: 'assistant', content: null, refusal: content }, finish_reason: 'stop' };
  }
  return { message: { role: 'assistant', content }, finish_reason: FINISH[ending] };
}

const settings = { base_url: 'http://llm.test/v1', model: 'talker', api_key: KEY };

languageModelSuite({
  name: 'OpenAI-compatible',
  model,
  serve,
  secret: KEY,
  open: (seconds = 5) =>
    openaiCompatible.openWithin(
      settings,
      { silenceSeconds: seconds, totalSeconds: 3 * seconds, retries: 2 },
      modelDeps(),
    ),
});

afterEach(() => vi.unstubAllGlobals());

it('is checked with one small question, and the setting that is wrong is named', async () => {
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => serve(new Request(input, init)));
  const check = (given: object) => openaiCompatible.check({ ...settings, ...given }, modelDeps());
  expect(await check({})).toBe('talker answers.');
  await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: /);
  await expect(check({ base_url: 'http://llm.test/v2' })).rejects.toThrow(/^model or base_url: /);
});

it('may be at a private address, for the operator has set it', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (input: URL) => {
    asked.push(String(input));
    return new Response('{}', { status: 401 });
  });
  const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
  const deps = operatorDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
  const checking = openaiCompatible.check({ base_url: 'http://10.0.0.7:8000/v1', model: 'm' }, deps);
  await expect(checking).rejects.toMatchObject({ status: 401 });
  expect(asked).toEqual(['http://10.0.0.7:8000/v1/chat/completions']);
});

it('is configured with an address and a name', () => {
  const of = (given: Partial<Settings>) => configuredLanguage(given as Settings);
  expect(of({})).toBeUndefined();
  expect(of({ LLM_MODEL: 'm' })).toBeUndefined();
  expect(of({ LLM_BASE_URL: 'http://llm.test/v1', LLM_MODEL: 'm', LLM_API_KEY: 'k' })).toEqual({
    kind: 'openai_compatible',
    settings: { base_url: 'http://llm.test/v1', model: 'm', api_key: 'k' },
  });
});
