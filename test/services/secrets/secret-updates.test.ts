import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Invalid } from '#src/lib/errors.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { MASK, maskSecrets, restoreSecrets } from '#src/services/secrets/secret-fields.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { collectIssues } from '#test/suites/component-rules.ts';

describe('an update of secrets', () => {
  const stored = { api_key: 'old', url: 'https://u:old@h.example', client_kwargs: { token: 'old', a: 1 } };
  const schema = sinkComponents.VENDOR_G;
  const matrix: [what: string, incoming: unknown, kept: unknown][] = [
    [
      'absent secrets stay, the rest goes',
      { collection_name: 'c' },
      { api_key: 'old', collection_name: 'c' },
    ],
    ['masks stay', { api_key: MASK, url: `https://${MASK}@h.example` }, { api_key: 'old', url: stored.url }],
    [
      'new values replace',
      { api_key: 'new', url: 'https://u:new@h.example' },
      { api_key: 'new', url: 'https://u:new@h.example' },
    ],
    ['null clears', { api_key: null }, { api_key: null }],
    [
      'a URL without the mask loses its credentials',
      { api_key: 'a', url: 'https://h.example' },
      { api_key: 'a', url: 'https://h.example' },
    ],
    [
      'absent members of a map stay when secret',
      { api_key: 'a', client_kwargs: { b: 2 } },
      { api_key: 'a', client_kwargs: { b: 2, token: 'old' } },
    ],
    ['what is no component is passed on', 'text', 'text'],
  ];
  it.each(matrix)('%s', (_, incoming, kept) =>
    expect(restoreSecrets(schema, incoming, stored)).toEqual(kept),
  );

  it('replaces a map of secrets, and keeps its masked values', () => {
    const before = { default_headers: { a: '1', b: '2' } };
    const update = { default_headers: { a: MASK, c: '3' } };
    const kept = restoreSecrets(embeddingComponents.PROVIDER_G_EMBEDDING, update, before);
    expect(kept).toEqual({ default_headers: { a: '1', c: '3' } });
    expect(restoreSecrets(embeddingComponents.PROVIDER_G_EMBEDDING, {}, before)).toEqual(before);
  });

  it.each<[unknown, unknown, (string | number)[]]>([
    [{ api_key: MASK }, {}, ['api_key']],
    [{ api_key: MASK }, { api_key: null }, ['api_key']],
    [{ url: `https://${MASK}@h.example` }, { url: 'https://h.example' }, ['url']],
    [{ client_kwargs: { secret: MASK } }, undefined, ['client_kwargs', 'secret']],
  ])('rejects the mask %j if no secret is stored', (incoming, before, path) => {
    const issues = collectIssues(() => restoreSecrets(schema, incoming, before, ['body', 'component']));
    expect(issues).toMatchObject([{ loc: ['body', 'component', ...path], type: 'value_error' }]);
  });
});

describe('an update of webhook configurations', () => {
  const a = { webhook_url: 'https://a.example', webhook_signing_secret: 'sa' };
  const b = { webhook_url: 'https://b.example', webhook_signing_secret: 'sb', webhook_headers: { k: 'hb' } };
  const [ma, mb] = maskSecrets(webhookConfigurations, [a, b]);
  const matrix: [what: string, incoming: unknown[], kept: unknown[]][] = [
    ['moved', [mb, ma], [b, a]],
    ['one removed', [mb], [b]],
    [
      'one added in front',
      [{ webhook_url: 'https://n.example' }, ma, mb],
      [{ webhook_url: 'https://n.example' }, a, b],
    ],
    ['secrets absent', [{ webhook_url: b.webhook_url }], [b]],
    [
      'edited in place',
      [{ ...ma, webhook_url: `${ma.webhook_url}/elsewhere` }, mb],
      [{ ...a, webhook_url: `${a.webhook_url}/elsewhere` }, b],
    ],
    [
      'replaced by a stranger, who inherits nothing',
      [{ webhook_url: 'https://x.example' }],
      [{ webhook_url: 'https://x.example' }],
    ],
  ];
  it.each(matrix)('%s', (_, incoming, kept) => {
    expect(restoreSecrets(webhookConfigurations, incoming, [a, b])).toEqual(kept);
  });

  it('requires new secrets for a changed address, and only for that one', () => {
    const update = () =>
      restoreSecrets(webhookConfigurations, [{ ...ma, webhook_url: 'https://c.example' }, mb], [a, b]);
    expect(update).toThrow(/^body\.0\.\S+: The address changed/);
    expect(update).not.toThrow(/body\.1/);
  });
});

describe('an update that changes where secrets are sent', () => {
  const schema = z.looseObject({ api_key: secret().nullish() });
  const stored = { api_key: 'old', api_base: 'https://a.example/v1', headers: { 'x-key': 'old' } };
  const update = (incoming: Record<string, unknown>, before: Record<string, unknown> = stored) => {
    try {
      return restoreSecrets(schema, incoming, before);
    } catch (error) {
      return (error as Invalid).issues.map(({ loc }) => loc.join('.'));
    }
  };

  it.each([
    ['another host', { api_base: 'https://b.example/v1' }],
    ['another scheme', { api_base: 'http://a.example/v1' }],
    ['another port', { api_base: 'https://a.example:8443/v1' }],
    ['the host of a masked address', { api_base: `https://${MASK}@b.example` }],
    ['a host beside the first one', { api_base: stored.api_base, proxy: { url: 'https://b.example' } }],
  ])('requires the secrets again: %s', (_, incoming) => {
    expect(update(incoming)).toEqual(expect.arrayContaining(['body.api_key', 'body.headers']));
    expect(update({ ...incoming, api_key: MASK, headers: { 'x-key': MASK } })).toEqual(
      expect.arrayContaining(['body.api_key', 'body.headers.x-key']),
    );
  });

  it('accepts the new address with new secrets or without secrets', () => {
    const moved = { api_base: 'https://b.example', api_key: 'new', headers: { 'x-key': 'new' } };
    expect(update(moved)).toEqual(moved);
    expect(update({ api_base: 'https://b.example', api_key: null, headers: {} })).toEqual({
      api_base: 'https://b.example',
      api_key: null,
      headers: {},
    });
  });

  it('keeps the secrets for another path of the same address, or without an address', () => {
    expect(update({ api_base: 'https://A.example/v2' })).toMatchObject({ api_key: 'old' });
    expect(update({})).toMatchObject({ api_key: 'old' });
  });

  it('requires the secrets for a first address, and for another port', () => {
    expect(update({ api_base: 'https://b.example' }, { api_key: 'old' })).toEqual(['body.api_key']);
    const database = { host: 'db.example', port: 5432, password: 'old' };
    expect(update({ ...database, port: 5433, password: MASK }, database)).toEqual(['body.password']);
    expect(update({ ...database, password: MASK }, database)).toEqual(database);
  });
});
