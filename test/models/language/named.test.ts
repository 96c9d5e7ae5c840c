import { describe, expect, it } from 'vitest';
import { readNamedModels } from '#src/models/language/named.ts';
import type { Settings } from '#src/settings/settings.ts';
import { keyPair } from '#test/support/key-pair.ts';

const AI = { run: async () => ({}) };
const KEY = 'sk-a-key-of-nobody';

const read = (given: object, bindings: object = {}, variables: Record<string, string> = {}) =>
  readNamedModels(given as Settings, bindings, (name) => variables[name]);
const models = (value: unknown) => ({
  LLM_MODELS: typeof value === 'string' ? value : JSON.stringify(value),
});

const openai = { provider: 'openai', model: 'gpt-4.1', api_key: KEY };
const { privateKey: private_key } = await keyPair();
const vertexAccount = {
  provider: 'vertex',
  model: 'm',
  project: 'p-1',
  client_email: 'a@p.example',
  private_key,
};
const claude = { provider: 'anthropic', model: 'claude-sonnet-4-5', api_key: KEY };

describe('configured language models', () => {
  it('are empty without configuration', () => {
    expect(read({})).toEqual({ byName: new Map(), defaults: {}, problems: [] });
    expect(read({ LLM_MODEL: 'm' }).defaults).toEqual({});
  });

  it('have names and default settings, and serve the uses assigned to them', () => {
    const given = { ...models({ LLM_MODEL_03: openai, fast: claude }), LLM_DEFAULTS: '{"chat":"fast"}' };
    const { byName, defaults, problems } = read(given);
    expect(problems).toEqual([]);
    expect([...byName.keys()]).toEqual(['LLM_MODEL_03', 'fast']);
    expect(byName.get('LLM_MODEL_03')).toEqual({
      kind: 'openai',
      settings: { model: 'gpt-4.1', api_key: KEY, base_url: 'https://api.openai.com/v1' },
    });
    expect(defaults).toEqual({ chat: byName.get('fast') });
  });

  it('use a single endpoint for all uses under the first name', () => {
    const given = { LLM_BASE_URL: 'http://llm.test/v1', LLM_MODEL: 'm', LLM_API_KEY: 'k' };
    const config = {
      kind: 'openai_compatible',
      settings: { base_url: 'http://llm.test/v1', model: 'm', api_key: 'k' },
    };
    const { byName, defaults } = read(given);
    expect([...byName]).toEqual([['LLM_MODEL_01', config]]);
    expect(defaults).toMatchObject({ chat: config, extract: config, routing: config, parsing: config });
    const both = read({
      ...given,
      ...models({ LLM_MODEL_01: openai }),
      LLM_DEFAULTS: '{"extract":"LLM_MODEL_01"}',
    });
    expect(both.byName.get('LLM_MODEL_01')?.kind).toBe('openai');
    expect(both.defaults).toMatchObject({ chat: config, extract: { kind: 'openai' } });
  });

  it('use Workers AI for chat, extraction and classification if only the binding exists', () => {
    const { byName, defaults } = read({}, { AI });
    expect(byName.get('LLM_MODEL_01')).toMatchObject({ kind: 'workers_ai' });
    expect(Object.keys(defaults).sort()).toEqual(['chat', 'classify', 'extract']);
    expect(read({ LLM_BASE_URL: 'http://llm.test/v1', LLM_MODEL: 'm' }, { AI }).defaults.chat?.kind).toBe(
      'openai_compatible',
    );
  });

  it('leave a use to the built-in implementation if configured', () => {
    const given = { LLM_DEFAULTS: '{"chat":"builtin"}' };
    expect(Object.keys(read(given, { AI }).defaults).sort()).toEqual(['classify', 'extract']);
    expect(read(models({ builtin: openai })).problems).toEqual([
      expect.stringMatching(/^LLM_MODELS\.builtin: /),
    ]);
  });

  it('accept a service account key file', () => {
    expect(read(models({ a: vertexAccount })).problems).toEqual([]);
  });

  it('accept values from other variables', () => {
    const given = models({ a: { ...openai, api_key: { variable: 'OPENAI_KEY' } } });
    expect(read(given, {}, { OPENAI_KEY: KEY }).byName.get('a')?.settings.api_key).toBe(KEY);
    expect(read(given).problems[0]).toBe('LLM_MODELS.a.api_key: the variable OPENAI_KEY is not set');
  });

  it.each<[string, object, RegExp]>([
    ['that is no JSON', models(`{"a": "${KEY}"`), /^LLM_MODELS: is not valid JSON$/],
    ['that is no object', models([KEY]), /^LLM_MODELS: /],
    [
      'of a provider that there is not',
      models({ a: { ...openai, provider: KEY } }),
      /^LLM_MODELS\.a\.provider: .*"openai"/,
    ],
    ['without its model', models({ a: { ...openai, model: undefined } }), /^LLM_MODELS\.a\.model: /],
    ['with a key that is no text', models({ a: { ...openai, api_key: [KEY] } }), /^LLM_MODELS\.a\.api_key: /],
    [
      'with an address that is none',
      models({ a: { ...openai, base_url: KEY } }),
      /^LLM_MODELS\.a\.base_url: /,
    ],
    ['with a member of another one', models({ a: { ...openai, region: KEY } }), /^LLM_MODELS\.a: .*"region"/],
    ['with a name that is none', models({ 'a b': openai }), /^LLM_MODELS\.a b: /],
    [
      'whose tokens would be asked for in clear text',
      models({ a: { ...vertexAccount, token_uri: 'http://oauth2.example/token' } }),
      /^LLM_MODELS\.a\.token_uri: .*https/,
    ],
    [
      'with a private key in another format',
      models({ a: { ...vertexAccount, private_key: KEY } }),
      /^LLM_MODELS\.a\.private_key: .*PEM/,
    ],
    [
      'of Workers AI, which is not bound',
      models({ a: { provider: 'workers_ai', model: '@cf/m' } }),
      /^LLM_MODELS\.a: the Workers AI binding is missing/,
    ],
    [
      'for a use that there is not',
      { ...models({ a: openai }), LLM_DEFAULTS: '{"talk":"a"}' },
      /^LLM_DEFAULTS/,
    ],
    [
      'for a use, by no name',
      { ...models({ a: openai }), LLM_DEFAULTS: '{"chat":"b"}' },
      /^LLM_DEFAULTS\.chat: /,
    ],
  ])('name the member of a definition %s without its value', (_, given, problem) => {
    const { problems } = read(given);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).not.toContain(KEY);
  });
});
