import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { resolveOwnModel } from '#src/models/language/own-model.ts';
import type { LanguageConfig } from '#src/models/language/registry.ts';
import { createModels } from '#src/models/models.ts';
import type { CallerModel } from '#src/ports/language-model.ts';
import type { Settings } from '#src/settings/settings.ts';
import { useVendors } from '#test/vendors/client.ts';

const HERE = new Map<string, LanguageConfig>([
  [
    'reader',
    { kind: 'anthropic', settings: { model: 'claude-x', api_key: 'theirs', base_url: 'http://10.0.0.1' } },
  ],
  ['inside', { kind: 'openai_compatible', settings: { model: 'm', base_url: 'http://10.0.0.1' } }],
]);
const opened = (own: CallerModel) => resolveOwnModel(own, HERE);

describe('caller-provided model', () => {
  it.each<[string, string, string]>([
    ['claude-opus-4-5', 'anthropic', 'claude-opus-4-5'],
    ['anthropic-sonnet-4.0', 'anthropic', 'claude-sonnet-4-0'],
    ['anthropic-sonnet-3.5', 'anthropic', 'claude-3-5-sonnet-latest'],
    ['openai-gpt4o', 'openai', 'gpt-4o'],
    ['openai-gpt-4-1-mini', 'openai', 'gpt-4.1-mini'],
    ['openai/gpt-4o-2024-08-06', 'openai', 'gpt-4o-2024-08-06'],
    ['o3', 'openai', 'o3'],
    ['gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
    ['command-a-03-2025', 'cohere', 'command-a-03-2025'],
    ['reader', 'anthropic', 'claude-x'],
  ])('%s belongs to vendor %s and has the id %s', (name, kind, model) => {
    // Without an endpoint, the default URL of the vendor is used and never one that the operator has set.
    expect(opened({ name, key: 'mine' })).toEqual({ kind, settings: { model, api_key: 'mine' } });
  });

  it.each<[CallerModel, string, RegExp]>([
    [{ key: 'mine' }, 'key', /No model is named/],
    [{ key: 'mine', name: 'inside' }, 'key', /vendor of the model inside is/],
    [{ key: 'mine', name: 'llama-4' }, 'key', /vendor of the model llama-4 is/],
    [{ endpoint: 'https://e.example' }, 'endpoint', /name of the model/],
    [{ endpoint: 'https://e.example', deployment: 'd' }, 'endpoint', /key of the deployment/],
    [
      { endpoint: 'https://e.example', apiVersion: '2024-10-21', key: 'k' },
      'deployment',
      /name of the deployment/,
    ],
    [
      { endpoint: 'https://e.example', deployment: 'd', apiVersion: 'new', key: 'k' },
      'apiVersion',
      /is a date/,
    ],
  ])('%j is rejected because of its %s', (own, part, problem) => {
    expect(opened(own)).toEqual({ part, problem: expect.stringMatching(problem) });
  });

  it('with an endpoint uses deployments or the OpenAI protocol', () => {
    const at = { endpoint: 'e.example:8443/v1', key: 'k' };
    expect(opened({ ...at, name: 'm' })).toEqual({
      kind: 'openai_compatible',
      settings: { base_url: 'https://e.example:8443/v1', model: 'm', api_key: 'k' },
    });
    expect(opened({ ...at, name: 'm', deployment: 'd', apiVersion: '2025-01-01-preview' })).toEqual({
      kind: 'azure_openai',
      settings: {
        ...{ base_url: 'https://e.example:8443/v1', model: 'd', api_key: 'k' },
        api_version: '2025-01-01-preview',
      },
    });
  });
});

const KEY = 'key-of-the-caller';
const settings = { key: KEY, text: 'yes' };

describe('request in the protocol of the vendor', () => {
  const vendors = useVendors(
    { vendor: 'azure-openai-chat', settings },
    { vendor: 'openai-chat', settings },
    { vendor: 'anthropic', settings },
  );
  // Private addresses are allowed for the operator, but not for callers. Names are not resolved here.
  const models = createModels({ ALLOW_PRIVATE_ADDRESSES: true } as Settings, {}, createLogger({}, 'error'));
  const ask = async (own: CallerModel) => {
    const model = models.ownLanguage('parsing', own);
    if (typeof model === 'object' && 'problem' in model) throw new Error(model.problem);
    return generateText({ model, prompt: 'Yes?', maxOutputTokens: 16, maxRetries: 0 });
  };

  it.each<[string, CallerModel]>([
    ['a deployment', { endpoint: 'https://r.openai.azure.com/', deployment: 'talker' }],
    ['a vendor of a key', { name: 'openai-gpt4o' }],
    ['another one', { name: 'claude-opus-4-5' }],
  ])('%s accepts the right key and rejects others', async (_, own) => {
    expect((await ask({ ...own, key: KEY })).text).toBe('yes');
    await expect(ask({ ...own, key: 'wrong' })).rejects.toThrow();
    const { seen } = await vendors.current.state();
    expect(seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});

it('caller-provided model cannot reach a private address', async () => {
  const models = createModels({} as Settings, {}, createLogger({}, 'error'));
  const model = models.ownLanguage('parsing', { endpoint: 'http://127.0.0.1:1/v1', name: 'm' });
  if (typeof model === 'object' && 'problem' in model) throw new Error(model.problem);
  await expect(generateText({ model, prompt: 'Yes?', maxRetries: 0 })).rejects.toThrow(
    /private|public|address/,
  );
});
