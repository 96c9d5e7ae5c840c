import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { copyPipeline } from '#src/services/pipelines/copy.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { call } from '#test/support/client.ts';
import {
  attachSource,
  insertFile,
  insertMember,
  insertPipeline,
  insertProject,
  insertSource,
  insertText,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { quietScopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

/** Pipelines whose sync was started. Nothing is synced. */
let started: string[];
let tenant: Tenant;
let scope: TenantContext;
/** Another pipeline of the same project. */
let other: string;

beforeEach(async () => {
  started = [];
  tenant = await createTenant();
  scope = await quietScopeOf(tenant, started);
  other = await insertPipeline(tenant.projectId);
});

describe('a copy of a pipeline', () => {
  it('has the members, texts and schedules of its pipeline alone, without results', async () => {
    const { projectId } = tenant;
    const original = await createFixtures(tenant).pipeline();
    const source = await insertSource(projectId);
    const result = { status: 'ERROR', statusUpdatedAt: new Date(), jobId: 'j' } as const;
    const error = { job_id: 'j', message: 'Torn.', step: 'PARSE' } as const;
    const outcome = { ...result, error, chunkCount: 4, failedFingerprint: 'f' };
    await insertMember(original, await insertFile(projectId), { ...outcome, dataSourceId: source });
    await insertText(original, 'long', { ...outcome, textId: 'long', text: null });
    await env.FILES.put(keys.documentText(projectId, original, 'long'), 'A long text.');
    await attachSource(original, source, { ...result, error, syncInterval: 600, lastSyncedAt: new Date() });
    await insertText(other, 'elsewhere');
    await attachSource(other, await insertSource(projectId));

    const copy = await copyPipeline(scope, original);
    const where = `pipeline_id = '${copy.id}'`;
    const list = (table: string, columns: string[]) =>
      Promise.all(columns.map((column) => valuesOf(table, column, where)));
    expect((await valuesOf('pipeline_members', 'kind', where)).toSorted()).toEqual(['file', 'text']);
    const results = ['status', 'job_id', 'error', 'chunk_count', 'failed_fingerprint'];
    expect(await list('pipeline_members', results)).toEqual([
      ['NOT_STARTED', 'NOT_STARTED'],
      ...Array(4).fill([null, null]),
    ]);
    const schedule = ['data_source_id', 'sync_interval', 'status', 'error', 'last_synced_at'];
    expect(await list('pipeline_data_sources', schedule)).toEqual([
      [source],
      [600],
      ['NOT_STARTED'],
      [null],
      [null],
    ]);
    const text = keys.documentText(projectId, copy.id, 'long');
    expect(await (await env.FILES.get(text))?.text()).toBe('A long text.');
    expect(await env.FILES.head(keys.documentText(projectId, original, 'long'))).not.toBeNull();
    expect(started).toEqual([copy.id]);
  });
});

describe('the name of a pipeline', () => {
  const send = (method: string, path: string, name: string) =>
    call<{ id: string }>(method, `/api/v1/pipelines${path}`, { key: tenant.key, body: { name } });

  it.each([
    [
      'in another project',
      async () => insertPipeline(await insertProject(tenant.organizationId), { name: 'taken' }),
    ],
    [
      'while its pipeline is being deleted',
      () => insertPipeline(tenant.projectId, { name: 'taken', status: 'DELETING' }),
    ],
  ])('is free if it is taken %s', async (_, take) => {
    const taken = await take();
    const id = await createFixtures(tenant).pipeline();
    expect((await send('PUT', `/${id}`, 'taken')).status).toBe(200);
    expect((await send('PUT', `/${id}`, 'taken')).status).toBe(200);
    expect((await send('PUT', `/${id}`, 'free again')).status).toBe(200);
    const made = await send('PUT', '', 'taken');
    expect(made.status).toBe(200);
    expect(made.body.id).not.toBe(taken);
    expect((await send('POST', '', 'taken')).status).toBe(409);
  });

  it('finds the project of a key alone, whatever the name of the project', async () => {
    const { key, organizationId } = await createTenant({ scoped: true });
    const sibling = await insertProject(organizationId, { name: 'Sibling' });
    await insertPipeline(sibling);
    const found = await call('GET', '/api/v1/pipelines?project_name=Sibling', { key });
    expect(found).toMatchObject({ status: 200, body: [] });
  });
});
