import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { insertJob } from '#test/support/inserted-rows.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let tenant: Tenant;
const ids: string[] = [];
beforeAll(async () => {
  tenant = await createTenant();
  const { key } = tenant;
  const file_id = await upload('note.txt', 'A note.', { key });
  for (let count = 0; count < 2; count += 1) {
    const body = { file_id, configuration: { tier: 'fast', version: 'latest' } };
    const { id } = (await call<{ id: string }>('POST', '/api/v2/parse', { key, body })).body;
    await untilEnded('parse', id, key);
    ids.push(id);
  }
});

it('the npm client lists jobs with the times of their states', async () => {
  const { client } = createNpmClients(tenant.key);
  const found = [];
  for await (const point of client.jobDataPoints.list({ job_type: 'parse', hours: 1, page_size: 1 }))
    found.push(point);
  expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(found[0]).toMatchObject({ project_id: tenant.projectId, status: 'COMPLETED', custom_tag: '' });
  expect(found[0]?.state_transitions).toMatchObject({
    pending_at: found[0]?.created_at,
    running_at: expect.any(String),
    completed_at: expect.any(String),
    failed_at: null,
  });
  const list = async (query: object) => {
    const page = await client.jobDataPoints.list({ job_type: 'parse', ...query });
    return page.items.map(({ id }) => id);
  };
  expect(await list({ status: ['FAILED', 'CANCELLED'] })).toEqual([]);
  expect(await list({ status: ['FAILED', 'COMPLETED'] })).toEqual(ids.toReversed());
  expect(await list({ created_at_on_or_before: '2020-01-01T00:00:00Z' })).toEqual([]);
  expect(await list({ hours: 0 })).toEqual([]);
  expect(await list({ job_type: 'extract' })).toEqual([]);
});

it.each([
  ['PENDING', { running_at: null }],
  ['RUNNING', { running_at: '1970-01-01T00:00:02.000Z' }],
  ['COMPLETED', { completed_at: '1970-01-01T00:00:03.000Z' }],
  ['FAILED', { failed_at: '1970-01-01T00:00:03.000Z' }],
  ['CANCELLED', { cancelled_at: '1970-01-01T00:00:03.000Z' }],
] as const)('a job with the status %s has the times of the states that it entered', async (status, times) => {
  const { key, projectId } = await createTenant();
  const id = await insertJob('split', projectId, { status });
  const hasStarted = status !== 'PENDING';
  const hasEnded = hasStarted && status !== 'RUNNING';
  await env.DB.prepare(
    'update split_jobs set created_at = 1000, started_at = ?, finished_at = ? where id = ?',
  )
    .bind(hasStarted ? 2000 : null, hasEnded ? 3000 : null, id)
    .run();
  const { body } = await call<{ items: { state_transitions: object }[] }>(
    'GET',
    '/api/v1/job-data-points?job_type=split',
    { key },
  );
  expect(body.items[0]?.state_transitions).toEqual({
    pending_at: '1970-01-01T00:00:01.000Z',
    running_at: hasStarted ? '1970-01-01T00:00:02.000Z' : null,
    throttled_at: null,
    completed_at: null,
    failed_at: null,
    cancelled_at: null,
    ...times,
  });
});

it('is refused without a kind, and shows nothing of others', async () => {
  const path = '/api/v1/job-data-points';
  for (const query of ['', '?job_type=sync', '?job_type=parse&hours=', '?job_type=parse&hours=-1']) {
    expect((await call('GET', `${path}${query}`, { key: tenant.key })).status).toBe(422);
  }
  const { key } = await createTenant();
  expect((await call('GET', `${path}?job_type=parse`, { key })).body).toMatchObject({
    items: [],
    total_size: 0,
  });
});
