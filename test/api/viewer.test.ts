import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { members } from '#src/db/schema/index.ts';
import { createViewerKeys, viewer } from '#test/suites/viewer.ts';
import { call } from '#test/support/client.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { callTool } from './mcp/agent.ts';

stubFetch();

viewer([...(await listedOperations()), ...(await clientOperations()), ...(await openAiOperations())]);

const createPipeline = (key: string, query = '') =>
  call<{ id: string }>('POST', `/api/v1/pipelines${query}`, { key, body: { name: crypto.randomUUID() } });

describe('a viewer', () => {
  it('cannot start jobs through MCP, and may search', async () => {
    const tenant = await createTenant();
    const pipeline = await createPipeline(tenant.key);
    const { 'key of a viewer': key } = await createViewerKeys(tenant);
    for (const name of ['extract', 'classify']) {
      const { isError, content } = await callTool(name, {}, { key });
      expect([isError, content[0]!.text]).toEqual([
        true,
        expect.stringMatching(/^forbidden: The role viewer/),
      ]);
    }
    const found = await callTool('search', { pipeline_id: pipeline.body.id, query: 'harbour' }, { key });
    expect(found.isError, JSON.stringify(found)).toBeUndefined();
  });

  it('cannot create a key, change its role, or read what only admins may read', async () => {
    const tenant = await createTenant();
    for (const key of Object.values(await createViewerKeys(tenant))) {
      expect((await call('POST', '/api/v1/api-keys', { key, body: {} })).status).toBe(403);
      const member = `/api/v1/organizations/${tenant.organizationId}/users/${tenant.userId}`;
      expect((await call('PUT', member, { key, body: { role: 'admin' } })).status).toBe(403);
      expect((await call('GET', `/api/v1/projects/${tenant.projectId}/export`, { key })).status).toBe(403);
    }
  });

  it('is shown as viewer in its session, and signs a browser in that cannot write either', async () => {
    const tenant = await createTenant();
    for (const key of Object.values(await createViewerKeys(tenant))) {
      expect((await call('GET', '/api/v1/session', { key })).body).toMatchObject({ role: 'viewer' });
      const signedIn = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
      const headers = {
        cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!,
        origin: 'http://sluice.test',
      };
      const answer = await call('POST', '/api/v1/pipelines', { key: null, headers, body: { name: 'x' } });
      expect(answer.status).toBe(403);
    }
  });

  it('is refused from the moment its role changes', async () => {
    const tenant = await createTenant();
    const other = await createTenant();
    const path = `/api/v1/organizations/${tenant.organizationId}/users`;
    const added = await call<{ user_id: string }>('POST', path, { key: tenant.key, body: { name: 'M' } });
    const body = { user_id: added.body.user_id };
    const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key: tenant.key,
      body,
    });
    const key = made.body.redacted_api_key;
    expect((await createPipeline(key)).status).toBeLessThan(300);
    const change = { key: tenant.key, body: { role: 'viewer' } };
    expect((await call('PUT', `${path}/${body.user_id}`, change)).status).toBe(200);
    expect((await createPipeline(key)).status).toBe(403);
    expect((await createPipeline(other.key)).status).toBeLessThan(300);
  });
});

describe('an admin of one organization who is a viewer of another', () => {
  const join = (tenant: Tenant, userId: string) =>
    openDatabase(env.DB)
      .insert(members)
      .values({ organizationId: tenant.organizationId, userId, name: 'Guest', role: 'viewer' });

  it('reads there and writes only in their own', async () => {
    const [own, theirs] = [await createTenant(), await createTenant()];
    await join(theirs, own.userId);
    const mine = (await createPipeline(own.key)).body.id;
    const foreign = (await createPipeline(theirs.key)).body.id;
    const { key } = own;
    expect((await call('GET', `/api/v1/pipelines/${foreign}`, { key })).status).toBe(200);
    expect((await createPipeline(key, `?organization_id=${theirs.organizationId}`)).status).toBe(403);
    expect((await createPipeline(key, `?project_id=${theirs.projectId}`)).status).toBe(403);
    expect((await call('DELETE', `/api/v1/pipelines/${foreign}`, { key })).status).toBe(404);
    expect((await call('GET', `/api/v1/pipelines/${foreign}`, { key: theirs.key })).status).toBe(200);
    expect((await call('DELETE', `/api/v1/pipelines/${mine}`, { key })).status).toBe(204);
  });

  it('writes by id in their own organization with a key of the other one', async () => {
    const [own, theirs] = [await createTenant(), await createTenant()];
    await join(own, theirs.userId);
    const foreign = (await createPipeline(own.key)).body.id;
    const mine = (await createPipeline(theirs.key)).body.id;
    await openDatabase(env.DB).$client.exec(
      `update api_keys set organization_id = '${own.organizationId}' where user_id = '${theirs.userId}'`,
    );
    const { key } = theirs;
    expect((await call('DELETE', `/api/v1/pipelines/${foreign}`, { key })).status).toBe(404);
    expect((await call('DELETE', `/api/v1/pipelines/${mine}`, { key })).status).toBe(204);
  });
});
