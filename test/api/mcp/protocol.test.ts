import { describe, expect, it } from 'vitest';
import { BASE, call, fetchService } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { type Message, post, readMessage, rpc } from './agent.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const METADATA = '/.well-known/oauth-protected-resource';

const readRefusal = async (response: Response) => {
  const { error } = await readMessage(response);
  return [response.status, error?.code, error?.message];
};

describe('authentication', () => {
  it.each([
    ['no key', null, `Bearer realm="sluice", resource_metadata="${BASE}${METADATA}/mcp"`],
    [
      'a wrong key',
      'slc_wrong',
      `Bearer realm="sluice", error="invalid_token", resource_metadata="${BASE}${METADATA}/mcp"`,
    ],
  ])('%s is answered with 401 and where to get credentials', async (_, key, challenge) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await fetchService(method, '/mcp', { key, ...(method === 'POST' && { body: list }) });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      expect(await answer.json()).toMatchObject({
        code: 'unauthenticated',
        detail: expect.stringContaining('API key of this installation'),
      });
    }
  });

  it('a session cookie is rejected', async () => {
    const { key } = await createTenant();
    const signedIn = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    expect((await post(list, { key: null }, { cookie, origin: BASE })).status).toBe(401);
  });

  it.each([
    ['', BASE],
    ['/mcp', `${BASE}/mcp`],
  ])('metadata of the protected resource%s name the authorization server', async (suffix, resource) => {
    const answer = await fetchService('GET', METADATA + suffix, { key: null });
    expect(answer.status).toBe(200);
    const body = await answer.json<Record<string, unknown>>();
    expect(body).toMatchObject({
      ...{ resource, bearer_methods_supported: ['header'], authorization_servers: [BASE] },
      scopes_supported: ['sluice:read', 'sluice:write'],
    });
  });

  it('pages of other origins are rejected with any key', async () => {
    expect((await post(list, {}, { origin: 'http://elsewhere.test' })).status).toBe(403);
    expect((await post(list, {}, { origin: BASE })).status).toBe(200);
  });

  it('a project is selected as in every other request', async () => {
    const [me, other] = [await createTenant(), await createTenant()];
    const made = await call<{ id: string }>('POST', '/api/v1/projects', {
      key: me.key,
      body: { name: 'Second' },
    });
    const inSecond = { key: me.key, body: { name: 'of the second' } };
    await call('POST', `/api/v1/pipelines?project_id=${made.body.id}`, inSecond);
    const listed = async (query: string) => {
      const { result } = await rpc('tools/call', { name: 'list_pipelines' }, { key: me.key, query });
      return (result!.structuredContent as { items: { name: string }[] }).items.map(({ name }) => name);
    };
    expect(await listed('')).toEqual([]);
    expect(await listed(`?project_id=${made.body.id}`)).toEqual(['of the second']);
    expect((await post(list, { key: me.key, query: `?project_id=${other.projectId}` })).status).toBe(404);
    expect((await post(list, { key: me.key, query: '?project_id=x' })).status).toBe(422);
  });
});

describe('an invalid request', () => {
  it.each<[string, BodyInit, Record<string, string>, unknown[]]>([
    ['no JSON', '{"jsonrpc":', {}, [400, -32700]],
    ['nothing', '', {}, [400, -32700]],
    ['null', 'null', {}, [400, -32600]],
    ['text', 'hello', { 'content-type': 'text/plain' }, [415, -32000]],
    ['a batch', JSON.stringify(Array.from({ length: 5000 }, () => list)), {}, [400, -32600]],
    ['an empty batch', '[]', {}, [400, -32600]],
    ['deep nesting', `${'['.repeat(600)}${']'.repeat(600)}`, {}, [400, -32700]],
    ['nesting that would end a parser', '['.repeat(500_000), {}, [400, -32700]],
    [
      'more than a megabyte',
      JSON.stringify({ ...list, params: { x: 'x'.repeat(1_100_000) } }),
      {},
      [413, -32000],
    ],
    ['a huge id', JSON.stringify({ ...list, id: 'x'.repeat(201) }), {}, [400, -32600]],
    ['one media type', JSON.stringify(list), { accept: 'application/json' }, [406, -32000]],
    [
      'a protocol of the future',
      JSON.stringify(list),
      { 'mcp-protocol-version': '2099-01-01' },
      [400, -32602],
    ],
  ])('%s is rejected with a protocol error', async (_, raw, headers, expected) => {
    const accept = 'application/json, text/event-stream';
    const all = { accept, 'content-type': 'application/json', ...headers };
    const answer = await fetchService('POST', '/mcp', { raw, headers: all });
    expect((await readRefusal(answer)).slice(0, 2)).toEqual(expected);
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])(
    '%s answers 405, because there are no sessions',
    async (method) => {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': 'of-nobody' };
      expect((await fetchService(method, '/mcp', { headers })).status).toBe(405);
    },
  );

  it('an unknown session id is ignored', async () => {
    const answer = await post(list, {}, { 'mcp-session-id': 'of-nobody' });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('mcp-session-id')).toBe(false);
  });

  it('an unknown method, tool or resource is a protocol error', async () => {
    const getErrorCode = async (message: Promise<Message>) => (await message).error?.code;
    expect(await getErrorCode(rpc('tools/burn'))).toBe(-32601);
    expect(await getErrorCode(rpc('tools/call', { name: 'burn', arguments: {} }))).toBe(-32602);
    expect(await getErrorCode(rpc('tools/call', { name: 'constructor', arguments: {} }))).toBe(-32602);
    expect(await getErrorCode(rpc('tools/call', { name: 'search', arguments: 'x' }))).toBe(-32602);
    expect(await getErrorCode(rpc('resources/list', { cursor: 'x' }))).toBe(-32602);
    for (const uri of [
      'x',
      'file:///etc/passwd',
      'sluice://files/../x',
      `sluice://files/${'x'.repeat(5000)}`,
    ]) {
      expect([-32002, -32602], uri).toContain(await getErrorCode(rpc('resources/read', { uri })));
    }
  });
});
