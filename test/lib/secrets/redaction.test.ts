import { expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { redact, rememberSecrets, removeSecrets, secretMembers } from '#src/lib/secrets/redaction.ts';
import { createKeyRing } from '#src/services/secrets/key-ring.ts';
import { readSettings } from '#src/settings/settings.ts';

const ring = () => createKeyRing({ id: 'k1', key: new Uint8Array(32) });

it.each(['x', 'a/b', 'p=1&q', 'with "quotes"', 'pass word'])('removes %j in all its encodings', (secret) => {
  const text = `${secret} ${encodeURIComponent(secret)} ${JSON.stringify({ said: secret })}`;
  expect(removeSecrets(text, [secret])).toBe('[removed] [removed] {"said":"[removed]"}');
});

it('removes the longest matching secret and ignores empty secrets', () => {
  expect(removeSecrets('abcdefgh abcd', ['abcd', 'abcdefgh', '', ' '])).toBe('[removed] [removed]');
});

it('removes secrets that were sealed or opened', async () => {
  const secret = `Op3ned${crypto.randomUUID()}`;
  const sealed = await ring().seal(secret, 'place');
  expect(redact(`refused: ${secret}`)).toBe('refused: [removed]');
  // Old secrets are forgotten after many others and remembered again when opened.
  rememberSecrets(Array.from({ length: 500 }, (_, index) => `other-${index}`));
  expect(redact(secret)).toBe(secret);
  await ring().open(sealed, 'place');
  expect(redact(secret)).toBe('[removed]');
});

it('removes secrets of the settings, including those in model definitions', () => {
  const marks = Array.from({ length: 6 }, () => `M4rk${crypto.randomUUID()}`);
  const [session, encryption, previous, bootstrap, model, reranker] = marks as [string, ...string[]];
  readSettings({
    SESSION_SECRET: session,
    ENCRYPTION_KEY: `k1:${encryption}`,
    ENCRYPTION_KEYS_PREVIOUS: `k0:${previous}`,
    BOOTSTRAP_API_KEY: bootstrap,
    LLM_MODELS: JSON.stringify({ a: { provider: 'openai', model: 'gpt', api_key: model } }),
    RERANK_MODELS: JSON.stringify({ cohere: { model: 'rerank', api_key: reranker } }),
  });
  for (const mark of marks) expect(redact(`a ${mark} b`)).toBe('a [removed] b');
  expect(redact('gpt of openai')).toBe('gpt of openai');
});

it('removes secrets from every field of a log line and keeps valid JSON', () => {
  const secret = `L0gged"${crypto.randomUUID()}`;
  rememberSecrets([secret]);
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  createLogger({ common: secret }).error('failed', {
    error: `said ${secret}`,
    deep: [{ at: secret }],
    status: 500,
  });
  spy.mockRestore();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      event: 'failed',
      common: '[removed]',
      error: 'said [removed]',
      deep: [{ at: '[removed]' }],
      status: 500,
    },
  ]);
});

it('finds secret members of JSON by name', () => {
  const value = {
    api_key: 'a',
    model: 'b',
    headers: { 'x-team': 'c' },
    list: [{ password: 'd', max_tokens: 5 }],
  };
  expect(secretMembers(value)).toEqual(['a', 'd']);
});
