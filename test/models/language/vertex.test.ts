import { describe, expect, it } from 'vitest';
import { vertex } from '#src/models/language/vertex.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { keyPair } from '#test/support/key-pair.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { mountTokens, VERTEX_MOUNT, VERTEX_SETTINGS, vertexFixture } from './fixtures/vertex.ts';

languageModelSuite(vertexFixture);

describe('service account token', () => {
  const vendors = useVendors(VERTEX_MOUNT, mountTokens());
  const check = (given: object) => vertex.check({ ...VERTEX_SETTINGS, ...given }, modelDeps());
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
    const { privateKey: other } = await keyPair();
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
  const tokens = mountTokens({ clientEmail: account.client_email });
  const vendors = useVendors({ vendor: 'vertex-chat', settings: { key: 'another-token' } }, tokens);

  it('is not reused', async () => {
    for (const _ of [1, 2]) {
      const check = vertex.check({ ...VERTEX_SETTINGS, ...account }, modelDeps());
      await expect(check).rejects.toThrow(/^client_email, private_key_id or private_key: /);
    }
    const { seen } = await vendors.current.state();
    expect(seen.map(({ vendor }) => vendor)).toEqual([
      ...['google-oauth-token', 'vertex-chat', 'google-oauth-token', 'vertex-chat'],
    ]);
  });
});
