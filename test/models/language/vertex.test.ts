import { describe, expect, it } from 'vitest';
import { vertex } from '#src/models/language/vertex.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { geminiContent } from '#test/vendors/chat/protocols/gemini.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const TOKEN = 'token-of-the-account';
const pem = (kind: string, bytes: ArrayBuffer) =>
  `-----BEGIN ${kind} KEY-----\n${btoa(String.fromCharCode(...new Uint8Array(bytes)))}\n-----END ${kind} KEY-----\n`;

async function keyPair() {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 };
  const made = await crypto.subtle.generateKey(
    { ...algorithm, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  );
  const { privateKey, publicKey } = made as CryptoKeyPair;
  const [own, others] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', privateKey),
    crypto.subtle.exportKey('spki', publicKey),
  ]);
  return { private_key: pem('PRIVATE', own as ArrayBuffer), publicKey: pem('PUBLIC', others as ArrayBuffer) };
}

const { private_key, publicKey } = await keyPair();
const account = { client_email: 'models@project.test', private_key, private_key_id: 'k' };
const settings = { model: 'gemini-2.5-flash', project: 'p-1', location: 'europe-west4', ...account };
const mount = { vendor: 'vertex-chat', settings: { key: TOKEN } };
const holdTokens = (given: object = {}) => ({
  vendor: 'google-oauth-token',
  settings: { publicKey, clientEmail: account.client_email, token: TOKEN, ...given },
});

languageModelSuite(
  chatFixture({
    ...{ name: 'Vertex AI', kind: 'vertex', protocol: geminiContent },
    ...{ secret: TOKEN, settings, mount, tokens: holdTokens() },
  }),
);

describe('service account token', () => {
  const vendors = useVendors(mount, holdTokens());
  const check = (given: object) => vertex.check({ ...settings, ...given }, modelDeps());
  const asked = async () =>
    (await vendors.current.state()).seen.map(({ vendor, status }) => [vendor, status]);

  it('is fetched once with a signed assertion', async () => {
    const settings = { private_key_id: 'k', token_uri: 'https://oauth2.googleapis.com/token' };
    expect(await check(settings)).toBe('gemini-2.5-flash answers.');
    const first = await asked();
    expect(await check(settings)).toBe('gemini-2.5-flash answers.');
    expect(await asked()).toEqual([...first, ['vertex-chat', 200]]);
  });

  it('is refused for another key, and no error contains part of a key', async () => {
    const { private_key: other } = await keyPair();
    const error = (await check({ private_key: other }).catch((error: unknown) => error)) as Error;
    expect(error.message).toContain('an access token');
    for (const line of other.split('\n').filter(Boolean)) expect(error.message).not.toContain(line);
    expect(await asked()).toEqual([['google-oauth-token', 400]]);
  });

  it('names the setting without a valid key', async () => {
    await expect(check({ private_key: 'not-a-key-at-all' })).rejects.toThrow(
      'private_key: Value error, Input should be a PEM block',
    );
  });
});

describe('rejected token', () => {
  const account = { client_email: 'refused@project.test' };
  const tokens = holdTokens({ clientEmail: account.client_email });
  const vendors = useVendors({ vendor: 'vertex-chat', settings: { key: 'another-token' } }, tokens);

  it('is not reused', async () => {
    for (const _ of [1, 2]) {
      const check = vertex.check({ ...settings, ...account }, modelDeps());
      await expect(check).rejects.toThrow(/^client_email, private_key_id or private_key: /);
    }
    const { seen } = await vendors.current.state();
    expect(seen.map(({ vendor }) => vendor)).toEqual([
      ...['google-oauth-token', 'vertex-chat', 'google-oauth-token', 'vertex-chat'],
    ]);
  });
});
