import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Configuration {
  id: string;
  name: string;
  product_type: string;
  version: string;
  parameters: Record<string, unknown>;
}
interface Page {
  items: Configuration[];
  next_page_token: string | null;
  total_size: number;
}

const PATH = '/api/v1/beta/configurations';
const extract = {
  product_type: 'extract_v2',
  data_schema: { type: 'object', properties: { total: { type: 'number' } } },
  version: 'latest',
};
const classify = {
  product_type: 'classify_v2',
  rules: [{ type: 'invoice', description: 'A request for payment of goods.' }],
};

const save = (name: string, parameters: unknown, key?: string) =>
  call<Configuration>('POST', PATH, { body: { name, parameters }, ...(key && { key }) });

describe('saved configurations', () => {
  it('are versioned by name, and the latest version can be listed alone', async () => {
    const { key } = await createTenant();
    const first = await save('totals', extract, key);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ name: 'totals', product_type: 'extract_v2', parameters: extract });
    expect(first.body.id).toMatch(/^cfg-/);
    const second = await save('totals', { ...extract, tier: 'agentic' }, key);
    const other = await save('totals', classify, key);
    expect(new Set([first.body.id, second.body.id, other.body.id]).size).toBe(3);
    expect(second.body.version > first.body.version).toBe(true);
    const all = await call<Page>('GET', `${PATH}?page_size=2`, { key });
    expect(all.body.items).toHaveLength(2);
    expect(all.body.total_size).toBe(3);
    const rest = await call<Page>('GET', `${PATH}?page_size=2&page_token=${all.body.next_page_token}`, {
      key,
    });
    expect(rest.body).toMatchObject({ next_page_token: null, items: [{}] });
    const latest = await call<Page>('GET', `${PATH}?latest_only=true&product_type=extract_v2&name=totals`, {
      key,
    });
    expect(latest.body.items.map(({ id }) => id)).toEqual([second.body.id]);
    const often = 'product_type=extract_v2&'.repeat(500);
    expect((await call<Page>('GET', `${PATH}?${often}`, { key })).status).toBe(200);
    const both = await call<Page>('GET', `${PATH}?product_type=extract_v2&product_type=classify_v2`, { key });
    const manyTimes = 'product_type=extract_v2&product_type=classify_v2&'.repeat(250);
    const repeated = await call<Page>('GET', `${PATH}?${manyTimes}`, { key });
    expect(repeated.body).toEqual(both.body);
    expect(both.body.total_size).toBe(3);
  });

  it('can be read, updated and deleted by id, with or without the prefix', async () => {
    const { id } = (await save(`rules ${crypto.randomUUID()}`, classify)).body;
    expect((await call('GET', `${PATH}/${id.slice(4)}`)).body).toMatchObject({ id });
    const changed = await call<Configuration>('PUT', `${PATH}/${id}`, { body: { name: 'renamed' } });
    expect(changed.body).toMatchObject({ id, name: 'renamed', parameters: classify });
    expect((await call('PUT', `${PATH}/${id}`, { body: { parameters: extract } })).status).toBe(400);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect((await call('GET', `${PATH}/${id}`)).status).toBe(404);
  });

  it('seal and mask their secrets', async () => {
    const parameters = {
      product_type: 'parse_v2',
      target_pages: '1',
      premium_llm_api_key: 'sk-planted-secret',
    };
    const name = `parse ${crypto.randomUUID()}`;
    const saved = await save(name, parameters);
    expect(saved.body.parameters).toEqual({ ...parameters, premium_llm_api_key: '********' });
    const again = await save(name, { ...saved.body.parameters, target_pages: '2' });
    expect(again.status).toBe(201);
    const rows = await env.DB.prepare('select parameters from configurations where name = ?')
      .bind(name)
      .all();
    expect(rows.results).toHaveLength(2);
    expect(JSON.stringify(rows.results)).not.toContain('planted');
    expect(JSON.stringify(rows.results).match(/sealed:v1:/g)).toHaveLength(2);
  });

  it.each([
    ['no name', { name: '', parameters: classify }],
    ['too long a name', { name: 'x'.repeat(256), parameters: classify }],
    ['no rules', { name: 'x', parameters: { ...classify, rules: [] } }],
    ['a schema that is none', { name: 'x', parameters: { ...extract, data_schema: { type: 'string' } } }],
    [
      'a parse parameter of a wrong type',
      { name: 'x', parameters: { product_type: 'parse_v2', max_pages: 'all' } },
    ],
    ['an unknown product', { name: 'x', parameters: { product_type: 'bake_v1' } }],
  ])('reject %s', async (_, body) => {
    expect((await call('POST', PATH, { body })).status).toBe(422);
  });

  it('of other products are stored unchanged', async () => {
    const parameters = { product_type: 'split_v1', anything: { goes: [1, 2] } };
    expect((await save(`split ${crypto.randomUUID()}`, parameters)).body.parameters).toEqual(parameters);
  });

  it('need credentials, and are hidden from other tenants', async () => {
    const { id } = (await save(`mine ${crypto.randomUUID()}`, classify)).body;
    const { key } = await createTenant();
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      expect((await call(method, `${PATH}/${id}`, { key, ...(body && { body }) })).status).toBe(404);
      expect((await call(method, `${PATH}/${id}`, { key: null, ...(body && { body }) })).status).toBe(401);
    }
    expect((await call('GET', PATH, { key: null })).status).toBe(401);
    expect((await call('GET', `${PATH}?page_token=nonsense`)).status).toBe(422);
  });
});
