import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { ATTEMPT_LIMITS } from '#src/services/jobs/kinds.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, RULES, run } from '#test/support/jobs.ts';
import { clearLeftoversNow } from '#test/support/kept.ts';
import { keptBy, NOTHING } from '#test/support/objects.ts';
import { createTenant } from '#test/support/tenants.ts';

const objects = createObjects(env);
const getStub = (namespace: DurableObjectNamespace, name: string) =>
  namespace.get(namespace.idFromName(name));

/** Creates a project with a running job, an announced job and a waiting webhook. */
async function busyProject(key: string, projectId: string) {
  const scope = `?project_id=${projectId}`;
  const file_id = await upload('invoice.md', INVOICE, { key, query: scope });
  const body = { file_input: file_id, configuration: { rules: RULES } };
  const { body: job } = await call<{ id: string }>('POST', `/api/v2/classify${scope}`, { key, body });
  await expect
    .poll(async () => (await call('GET', `/api/v2/classify/${job.id}`, { key })).body)
    .toMatchObject({
      status: 'COMPLETED',
    });
  const working = objects.jobState(job.id);
  await expect.poll(() => working.view()).toBeNull();
  await env.DB.prepare("update classify_jobs set status = 'PENDING', attempt = 0 where id = ?")
    .bind(job.id)
    .run();
  await working.open({ kind: 'classify', jobId: job.id, ...ATTEMPT_LIMITS.classify });
  await working.claim('worker');

  const test = `test-${crypto.randomUUID()}`;
  const later = Date.now() + 3_600_000;
  const values = [crypto.randomUUID(), projectId, test, later];
  await env.DB.prepare(
    `insert into webhook_deliveries (id, project_id, job_id, event_id, endpoint, sequence, event_type,
       configuration, body, status, attempts, next_attempt_at, created_at, updated_at)
     values (?, ?, ?, 'e', '0', 1, 'unmapped_event', '{}', '{}', 'pending', 1, ?, 0, 0)`,
  )
    .bind(...values)
    .run();
  await objects.jobState(test).notify(test);
  await objects.jobIntake(projectId).announce('extract', `ext-${crypto.randomUUID()}`);
  return {
    projectId,
    working,
    owners: [
      getStub(env.JOB_STATE, job.id),
      getStub(env.JOB_STATE, test),
      getStub(env.JOB_INTAKE, projectId),
    ],
  };
}

async function expectQuiet({ projectId, working, owners }: Awaited<ReturnType<typeof busyProject>>) {
  expect(await working.heartbeat('worker')).toBe(false);
  // Until then, the project's object remembers which leftovers to clear.
  await clearLeftoversNow(projectId);
  for (const owner of owners) expect(await keptBy(owner)).toEqual(NOTHING);
}

it('deleting a project stops its jobs and webhooks and clears their Durable Objects', async () => {
  const { key } = await createTenant();
  const { body } = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Doomed' } });
  const busy = await busyProject(key, body.id);
  for (const owner of busy.owners) expect(await keptBy(owner)).not.toEqual(NOTHING);
  expect((await call('DELETE', `/api/v1/projects/${body.id}`, { key })).status).toBe(204);
  await expectQuiet(busy);
});

it('deleting an organization does the same for each of its projects', async () => {
  const { key } = await createTenant();
  const { body } = await call<{ id: string }>('POST', '/api/v1/organizations', {
    key,
    body: { name: 'Gone' },
  });
  const projects = await call<{ id: string }[]>('GET', `/api/v1/projects?organization_id=${body.id}`, {
    key,
  });
  const busy = await busyProject(key, projects.body[0]!.id);
  expect((await call('DELETE', `/api/v1/organizations/${body.id}`, { key })).status).toBe(204);
  await expectQuiet(busy);
});

it('deleting a project does not affect jobs of other projects', async () => {
  const { key } = await createTenant();
  const { body } = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Doomed' } });
  const file_id = await upload('invoice.md', INVOICE, { key });
  const { id } = await run('parse', { file_id }, key);
  await call('DELETE', `/api/v1/projects/${body.id}`, { key });
  expect((await call('GET', `/api/v2/parse/${id}`, { key })).status).toBe(200);
});
