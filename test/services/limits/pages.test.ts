import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { toUtcDay } from '#src/lib/day.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { createPageQuota, getPageUsage } from '#src/services/limits/pages.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, run } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const ctx = createContext(env, { waitUntil() {} });

async function limited(pages_per_day: number): Promise<Tenant> {
  const tenant = await createTenant();
  const body = { name: 'Default', limits: { pages_per_day } };
  await call('PUT', `/api/v1/projects/${tenant.projectId}`, { key: tenant.key, body });
  return tenant;
}

const usedBy = async ({ key }: Tenant) =>
  (await call<{ limits: { pages_per_day: { used: number } } }>('GET', '/api/v1/usage', { key })).body.limits
    .pages_per_day.used;

/** Returns a PDF in which every page contains the word and the page number. */
const pdf = (word: string, pages: number) =>
  new Uint8Array(
    buildPdf({
      pages: Array.from({ length: pages }, (_, at) => ({ content: text(72, 700, `${word} ${at}`) })),
    }),
  );

async function createPipelineWith({ key }: Tenant, files: Record<string, string | Uint8Array>) {
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) ids.push(await upload(name, content, { key }));
  const made = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name: 'papers' } });
  const path = `/api/v1/pipelines/${made.body.id}`;
  await call('PUT', `${path}/files`, { key, body: ids.map((file_id) => ({ file_id })) });
  return path;
}

interface Status {
  status: string;
  counts: Record<string, number>;
  error: { message: string }[] | null;
  job_id: string;
}

async function synced(key: string, path: string, after?: string): Promise<Status> {
  if (after) await call('POST', `${path}/sync`, { key });
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<Status>('GET', `${path}/status?full_details=true`, { key });
    if (/SUCCESS|ERROR/.test(body.status) && body.job_id !== after) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the sync did not end');
}

/** Moves today's counts to yesterday. */
async function nextDay({ projectId }: Tenant): Promise<void> {
  const yesterday = toUtcDay(Date.now() - 24 * 3_600_000);
  for (const table of ['project_pages', 'daily_activity']) {
    await env.DB.prepare(`update ${table} set day = ? where project_id = ?`).bind(yesterday, projectId).run();
  }
}

describe('the daily page limit', () => {
  it('stops a sync at the limit, keeps what fits, and the sync of the next day adds the rest', async () => {
    const tenant = await limited(5);
    const files = { 'a.pdf': pdf('one', 3), 'b.pdf': pdf('two', 3), 'c.pdf': pdf('three', 2) };
    const path = await createPipelineWith(tenant, files);
    const status = await synced(tenant.key, path);
    expect(status).toMatchObject({ status: 'PARTIAL_SUCCESS', counts: { SUCCESS: 2, ERROR: 1 } });
    expect(status.error?.[0]?.message).toMatch(/\b5 pages\b.*pages_per_day/);
    expect(await usedBy(tenant)).toBe(5);
    await nextDay(tenant);
    const next = await synced(tenant.key, path, status.job_id);
    expect(next).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 3 } });
    expect(await usedBy(tenant)).toBe(3);
  });

  it('applies to jobs: one that does not fit fails, and at the limit no job is created', async () => {
    const tenant = await limited(4);
    const { key } = tenant;
    const [three, two] = [
      await upload('a.pdf', pdf('a', 3), { key }),
      await upload('b.pdf', pdf('b', 2), { key }),
    ];
    expect(await run('parse', { file_id: three }, key)).toMatchObject({ status: 'COMPLETED' });
    const failed = await run('parse', { file_id: two }, key);
    expect(failed).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('pages_per_day'),
    });
    expect(await usedBy(tenant)).toBe(3);
    const one = await upload('c.txt', 'One page.', { key });
    expect(
      await run('classify', { file_input: one, configuration: { rules: [rule('note')] } }, key),
    ).toMatchObject({ status: 'COMPLETED' });
    const listed = async () => (await call<{ items: object[] }>('GET', '/api/v2/parse', { key })).body.items;
    const before = await listed();
    const refused = await call<{ limit: string }>('POST', '/api/v2/parse', { key, body: { file_id: two } });
    expect(refused).toMatchObject({ status: 429, body: { limit: 'pages_per_day', retryable: true } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await listed()).toEqual(before);
    await nextDay(tenant);
    await env.DB.prepare('update usage_records set created_at = created_at - 86400000 where project_id = ?')
      .bind(tenant.projectId)
      .run();
    expect((await createJob('parse', { file_id: two }, key)).status).toBe('PENDING');
  });

  it('counts pages read before the limit was set', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const file_id = await upload('a.pdf', pdf('a', 3), { key });
    await run('parse', { file_id }, key);
    const body = { name: 'Default', limits: { pages_per_day: 5 } };
    await call('PUT', `/api/v1/projects/${tenant.projectId}`, { key, body });
    expect((await run('parse', { file_id }, key)).status).toBe('FAILED');
    const two = await upload('b.pdf', pdf('b', 2), { key });
    expect((await run('parse', { file_id: two }, key)).status).toBe('COMPLETED');
    expect(await usedBy(tenant)).toBe(5);
    expect((await call('POST', '/api/v2/parse', { key, body: { file_id: two } })).status).toBe(429);
  });

  it('is never exceeded by concurrent requests, and pages can be returned', async () => {
    const { projectId } = await limited(10);
    const quotas = Array.from({ length: 12 }, () => createPageQuota(ctx, projectId, { limit: 10, left: 10 }));
    const answers = await Promise.all(quotas.map((quota) => quota.take([1, 1])));
    expect(answers.flat().filter((refusal) => refusal === undefined)).toHaveLength(10);
    expect(await getPageUsage(ctx, projectId)).toEqual({ used: 10, limit: 10 });
    await quotas[0]!.refund(4);
    expect(await quotas[1]!.take([3, 2, 1])).toEqual([undefined, expect.any(Error), undefined]);
  });

  it('returns pages to the day they were taken from', async () => {
    const { projectId } = await limited(10);
    const quota = createPageQuota(ctx, projectId, { limit: 10, left: 10 });
    const now = Date.now();
    await quota.take([6]);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 24 * 3_600_000);
    try {
      await createPageQuota(ctx, projectId, { limit: 10, left: 10 }).take([5]);
      await quota.refund(6);
    } finally {
      clock.mockRestore();
    }
    const days = await env.DB.prepare('select pages from project_pages where project_id = ? order by day')
      .bind(projectId)
      .all();
    expect(days.results).toEqual([{ pages: 0 }, { pages: 5 }]);
  });

  it('keeps the pages of a finished job, even if a later step fails', async () => {
    const tenant = await limited(10);
    const file_input = await upload('a.txt', 'One page.', tenant);
    const webhook_configurations = [
      { webhook_url: 'https://hooks.example.com/', webhook_events: ['classify.success'] },
    ];
    const configuration = { rules: [rule('note')] };
    const { id } = await run('classify', { file_input, configuration, webhook_configurations }, tenant.key);
    const used = await usedBy(tenant);
    await env.DB.prepare("update classify_jobs set status = 'PENDING', attempt = 0 where id = ?")
      .bind(id)
      .run();
    await env.DB.prepare('delete from webhook_deliveries where job_id = ?').bind(id).run();
    const owner = {
      ...ctx.objects.jobState(id),
      claim: async () => ({ go: true, attempt: 1 }),
      heartbeat: async () => true,
      notify: () => Promise.reject(new Error('the owner is away')),
      release: async () => undefined,
    };
    await runJob(
      { ...ctx, objects: { ...ctx.objects, jobState: () => owner } },
      'classify',
      id,
      async (...[, , , quota]) => {
        await quota.take(2);
        return {};
      },
    );
    expect(await usedBy(tenant)).toBe(used + 2);
  });
});

const rule = (type: string) => ({ type, description: `A ${type} of a page.` });
