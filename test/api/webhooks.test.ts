import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { CONFIGS, type Config, DELIVERIES, type Delivery } from './webhook-calls.ts';

const unknown = '00000000-0000-4000-8000-000000000000';

describe('saved webhook endpoints', () => {
  it('mask their secrets, and keep them when the masks are sent back', async () => {
    const body = {
      webhook_url: 'https://hooks.example/a',
      webhook_headers: { 'x-token': 'Pl4nted' },
      webhook_signing_secret: 'Pl4nted too',
      webhook_events: ['extract.success'],
    };
    const created = await call<Config>('POST', CONFIGS, { body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      webhook_url: body.webhook_url,
      webhook_headers: { 'x-token': '********' },
      has_secret: true,
      tenant_type: 'project',
    });
    expect(JSON.stringify(created.body)).not.toContain('Pl4nted');
    const path = `${CONFIGS}/${created.body.id}`;
    const changes = { webhook_headers: { 'x-token': '********' }, webhook_output_format: 'json' };
    const changed = await call<Config>('PUT', path, { body: changes });
    expect(changed).toMatchObject({
      status: 200,
      body: { has_secret: true, webhook_output_format: 'json', webhook_events: ['extract.success'] },
    });
    const moved = await call('PUT', path, { body: { webhook_url: 'https://elsewhere.example/' } });
    expect(moved.status).toBe(422);
    expect(JSON.stringify(moved.body)).toContain('must be sent again');
    const cleared = await call<Config>('PUT', path, { body: { webhook_signing_secret: null } });
    expect(cleared.body.has_secret).toBe(false);
    expect((await call<Config>('GET', path)).body).toEqual(cleared.body);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('mask credentials in a URL, and keep them when the masked URL is sent back', async () => {
    const body = { webhook_url: 'https://user:Pl4nted@h.example/hook?token=Pl4nted' };
    const created = await call<Config>('POST', CONFIGS, { body });
    expect(created.status).toBe(201);
    const { id, webhook_url } = created.body;
    expect(webhook_url).toBe('https://********@h.example/hook?token=********');
    const back = await call<Config>('PUT', `${CONFIGS}/${id}`, { body: { webhook_url } });
    expect(back.body.webhook_url).toBe(webhook_url);
    const row = await env.DB.prepare('select configuration from webhook_configs where id = ?')
      .bind(id)
      .first();
    expect(JSON.stringify(row)).not.toContain('Pl4nted');
    expect(JSON.stringify(row)).not.toContain('********');
  });

  it('are listed page by page', async () => {
    const { key } = await createTenant();
    for (const n of [1, 2, 3]) {
      await call('POST', CONFIGS, { key, body: { webhook_url: `https://hooks.example/${n}` } });
    }
    type Page = { items: Config[]; next_page_token: string };
    const first = await call<Page>('GET', `${CONFIGS}?page_size=2`, { key });
    expect(first.body.items.map((item) => item.webhook_url)).toEqual([
      'https://hooks.example/3',
      'https://hooks.example/2',
    ]);
    const next = `${CONFIGS}?page_size=2&page_token=${first.body.next_page_token}`;
    expect((await call<Page>('GET', next, { key })).body).toMatchObject({
      items: [{}],
      next_page_token: null,
    });
  });

  it.each([
    [{}],
    [{ webhook_url: 'nowhere' }],
    [{ webhook_url: 'https://h.example', webhook_events: [] }],
    [{ webhook_url: 'https://h.example', webhook_events: ['extract.running'] }],
    [{ webhook_url: 'https://h.example', webhook_signing_secret: '********' }],
    [{ webhook_url: 'https://h.example', webhook_headers: { 'x token': 'a' } }],
    [{ webhook_url: 'https://h.example', webhook_headers: { '': 'a' } }],
    [{ webhook_url: 'https://h.example', webhook_headers: { 'x-token': 'a\r\nx-other: b' } }],
    [{ webhook_url: 'https://h.example', webhook_headers: { 'x-token': '\u0000' } }],
    [{ webhook_url: 'https://h.example', webhook_headers: { 'x-token': '日本' } }],
  ])('reject %j with 422', async (body) => {
    expect((await call('POST', CONFIGS, { body })).status).toBe(422);
  });
});

it('a job with too many webhook endpoints is rejected', async () => {
  const file_id = await upload('a.txt', 'alpha');
  const webhook_configuration_ids = Array.from({ length: 21 }, () => `whk-${crypto.randomUUID()}`);
  const refused = await call('POST', '/api/v2/parse', { body: { file_id, webhook_configuration_ids } });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('at most 20');
});

describe('invalid webhook headers', () => {
  it('are rejected by name wherever a job accepts them, without their values', async () => {
    const file_id = await upload('a.txt', 'alpha');
    const webhook_configurations = [
      { webhook_url: 'https://h.example', webhook_headers: { 'x-good': 'é\tb', 'x-bad': 'Pl4nted\n' } },
    ];
    const parsing = { webhook_configurations };
    for (const body of [
      { file_id, webhook_configurations },
      { file_id, configuration: parsing },
    ]) {
      const refused = await call('POST', '/api/v2/parse', { body });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain('x-bad');
      expect(JSON.stringify(refused.body)).not.toContain('x-good');
      expect(JSON.stringify(refused.body)).not.toContain('Pl4nted');
    }
    const component = { api_key: 'k', default_headers: { 'x-bad\n': 'v' } };
    const config = { name: 'e', embedding_config: { type: 'PROVIDER_G_EMBEDDING', component } };
    const refused = await call('POST', '/api/v1/embedding-model-configs', { body: config });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('default_headers');
  });
});

describe('the webhook operations', () => {
  it('hide resources of other tenants', async () => {
    const { key } = await createTenant();
    const saved = await call<Config>('POST', CONFIGS, { body: { webhook_url: 'http://nowhere.example/' } });
    const test = await call<Delivery>('POST', `${CONFIGS}/${saved.body.id}/test`);
    for (const [method, path, body] of [
      ['GET', `${CONFIGS}/${saved.body.id}`],
      ['PUT', `${CONFIGS}/${saved.body.id}`, {}],
      ['DELETE', `${CONFIGS}/${saved.body.id}`],
      ['POST', `${CONFIGS}/${saved.body.id}/test`],
      ['GET', `${DELIVERIES}/${test.body.id}`],
      ['POST', `${DELIVERIES}/${test.body.id}/replay`],
    ] as const) {
      expect((await call(method, path, { key, ...(body && { body }) })).status).toBe(404);
    }
    const file_id = await upload('a.txt', 'alpha', { key });
    const foreign = { file_id, webhook_configuration_ids: [saved.body.id] };
    expect((await call('POST', '/api/v2/parse', { key, body: foreign })).status).toBe(400);
    expect((await call('GET', `${DELIVERIES}/nothing`)).status).toBe(422);
    expect((await call('GET', `${DELIVERIES}?status=lost`)).status).toBe(422);
  });

  it.each([
    ['POST', CONFIGS],
    ['GET', CONFIGS],
    ['GET', `${CONFIGS}/${unknown}`],
    ['PUT', `${CONFIGS}/${unknown}`],
    ['DELETE', `${CONFIGS}/${unknown}`],
    ['POST', `${CONFIGS}/${unknown}/test`],
    ['GET', DELIVERIES],
    ['GET', `${DELIVERIES}/${unknown}`],
    ['POST', `${DELIVERIES}/${unknown}/replay`],
  ])('reject %s %s without a key', async (method, path) => {
    expect((await call(method, path, { key: null })).status).toBe(401);
  });
});
