import { describe, expect, it } from 'vitest';
import { fetchOrigin } from '#test/api/oauth/application.ts';
import { BASE, call, fetchService, upload } from '#test/support/client.ts';
import { INVOICE, RULES } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';
import { called, post, refused, rpc } from './agent.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const INSPECTOR = 'http://localhost:6274';

describe('web pages of this machine', () => {
  const send = async (url: string, origin: string, key: string) => {
    const headers = {
      ...{ origin, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    };
    const answer = await fetchOrigin(url, { method: 'POST', headers, body: JSON.stringify(list) });
    await answer.text();
    return answer;
  };

  it('may call a service of this machine with a key, and read the answer', async () => {
    const { key } = await createTenant();
    const answer = await send('http://127.0.0.1:8787/mcp', INSPECTOR, key);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, INSPECTOR]);
    const preflight = await fetchOrigin('http://127.0.0.1:8787/mcp', {
      method: 'OPTIONS',
      headers: {
        origin: INSPECTOR,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x']);
    expect((await send('http://127.0.0.1:8787/mcp', INSPECTOR, 'slc_wrong')).status).toBe(401);
  });

  it.each([
    ['a page of another machine', 'http://127.0.0.1:8787/mcp', 'http://evil.example'],
    ['a name that points to this machine', 'http://evil.example:8787/mcp', 'http://evil.example:8787.test'],
    ['a page of this machine at a service elsewhere', `${BASE}/mcp`, INSPECTOR],
    ['a page without an origin', 'http://127.0.0.1:8787/mcp', 'null'],
    [
      'a name that begins like one of this machine',
      'http://127.0.0.1:8787/mcp',
      'http://localhost.evil.example',
    ],
  ])('%s is rejected even with a key', async (_, url, origin) => {
    const { key } = await createTenant();
    const answer = await send(url, origin, key);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

it('a batch is answered in version 2025-03-26 only', async () => {
  const batch = [list, { ...list, id: 2, method: 'ping' }];
  // Clients of this version send no header with the version.
  const accept = { accept: 'application/json, text/event-stream' };
  const versions: Record<string, string>[] = [{ 'mcp-protocol-version': '2025-03-26' }, {}];
  for (const version of versions) {
    const answer = await fetchService('POST', '/mcp', { body: batch, headers: { ...accept, ...version } });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    for (const id of [1, 2]) expect(text).toContain(`"id":${id}`);
  }
  for (const version of ['2025-06-18', '2025-11-25']) {
    expect((await post(batch, {}, { 'mcp-protocol-version': version })).status).toBe(400);
  }
  for (const count of [0, 21]) {
    const many = Array.from({ length: count }, () => list);
    expect((await post(many, {}, { 'mcp-protocol-version': '2025-03-26' })).status).toBe(400);
  }
});

it('prompts contain their arguments, and unknown ones are errors', async () => {
  const { result } = await rpc('prompts/list');
  const prompts = result!.prompts as { name: string; arguments: { name: string }[] }[];
  expect(prompts).toHaveLength(4);
  for (const { name, arguments: given } of prompts) {
    const values = Object.fromEntries(given.map((each) => [each.name, `value of ${each.name}`]));
    const got = await rpc('prompts/get', { name, arguments: values });
    for (const value of Object.values(values)) expect(JSON.stringify(got.result)).toContain(value);
    const { [given[0]!.name]: _, ...rest } = values;
    expect((await rpc('prompts/get', { name, arguments: rest })).error?.code).toBe(-32602);
  }
  for (const name of ['x', 'constructor'])
    expect((await rpc('prompts/get', { name })).error?.code).toBe(-32602);
});

it('a tool that takes a file accepts both names, and exactly one of them', async () => {
  const { key } = await createTenant();
  const id = await upload('invoice.md', INVOICE, { key });
  const jobs: [string, object][] = [
    ['extract', { data_schema: { type: 'object', properties: { total: { type: 'string' } } } }],
    ['classify', { rules: RULES }],
  ];
  for (const file of [{ file_id: id }, { file_input: id }]) {
    expect(await called('read_pages', file, { key })).toMatchObject({ file_id: id });
    for (const [name, more] of jobs) {
      const job = await called<{ id: string }>(name, { ...file, ...more, wait_seconds: 0 }, { key });
      expect(job.id).toMatch(/^(ext|cls)-/);
    }
  }
  expect(await refused('read_pages', {}, { key })).toMatch(/file_input or file_id is required/);
  expect(await refused('read_pages', { file_id: id, file_input: 'x' }, { key })).toMatch(/not both/);
});

it('the only pipeline of a project is the default', async () => {
  const { key } = await createTenant();
  const search = { query: 'lighthouse' };
  expect(await refused('search', search, { key })).toMatch(/the project has 0 pipelines/);
  await call('POST', '/api/v1/pipelines', { key, body: { name: 'one' } });
  expect(await called('search', search, { key })).toMatchObject({ results: [] });
  await call('POST', '/api/v1/pipelines', { key, body: { name: 'two' } });
  expect(await refused('search', search, { key })).toMatch(/the project has 2 pipelines/);
});

it('a call that waits for a job reports its progress if the client asks for it', async () => {
  const { key } = await createTenant();
  const file_input = await upload('invoice.md', INVOICE, { key });
  const classify = async (meta: object) => {
    const params = { name: 'classify', arguments: { file_input, rules: RULES }, ...meta };
    return (await post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }, { key })).text();
  };
  const told = await classify({ _meta: { progressToken: 'a token' } });
  const events = [...told.matchAll(/^data: (.*)$/gm)].map(
    ([, data]) =>
      JSON.parse(data!) as { method?: string; params?: { progressToken: string; progress: number } },
  );
  const reports = events.filter(({ method }) => method === 'notifications/progress');
  expect(reports.length).toBeGreaterThan(0);
  const values = reports.map(({ params }) => params!.progress);
  expect(values.every((value, at) => at === 0 || value > values[at - 1]!)).toBe(true);
  expect(reports.every(({ params }) => params!.progressToken === 'a token')).toBe(true);
  expect(await classify({})).not.toContain('notifications/progress');
});
