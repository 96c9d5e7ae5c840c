import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { toUtcDay } from '#src/lib/day.ts';
import { concludeRun, recordRun } from '#src/services/sync/runs.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { selectActivity, selectJobUsage } from '#src/services/usage/daily.ts';
import type { Run } from '#src/work/sync-owner.ts';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Daily {
  start: string;
  end: string;
  days: ({ day: string } & Record<string, number>)[];
}

const daily = (key: string, query = '') => call<Daily>('GET', `/api/v1/usage/daily${query}`, { key });
const today = async (key: string) => (await daily(key)).body.days.at(-1)!;
/** Counts are written shortly after the responses. */
const PATIENCE = { timeout: PATIENCE_MS };
const NOTHING = {
  ...{ retrievals: 0, chats: 0, syncs: 0, documents_indexed: 0, documents_failed: 0, pages_indexed: 0 },
  ...{ parse_jobs: 0, extract_jobs: 0, classify_jobs: 0, job_pages: 0 },
};

/** Creates a context that runs deferred work immediately. `done` waits for that work. */
function contextWithin() {
  const works: Promise<unknown>[] = [];
  const ctx = createContext(env as never, { waitUntil: (work) => works.push(work) });
  return { ctx, done: () => Promise.all(works), works };
}

async function makePipeline(key: string): Promise<string> {
  const body = { name: crypto.randomUUID() };
  return (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body })).body.id;
}

describe('daily usage', () => {
  it('counts each retrieval and chat once for its project', async () => {
    const [{ key }, other] = [await createTenant(), await createTenant()];
    const pipeline_id = await makePipeline(key);
    const query = { query: 'How deep is the quay?' };
    const post = async (path: string, body: object) => {
      const answer = await call<{ id: string }>('POST', path, { key, body });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    };
    await post(`/api/v1/pipelines/${pipeline_id}/retrieve`, query);
    await post('/api/v1/retrievers/retrieve', { ...query, pipelines: [{ pipeline_id }] });
    const pipelines = [{ pipeline_id }];
    const retriever = await post('/api/v1/retrievers', { name: 'both', pipelines });
    await post(`/api/v1/retrievers/${retriever.id}/retrieve`, query);
    await post(`/api/v1/pipelines/${pipeline_id}/chat`, {
      messages: [{ role: 'user', content: 'How deep?' }],
    });
    await vi.waitFor(async () => {
      expect(await today(key)).toEqual({ ...NOTHING, day: toUtcDay(Date.now()), retrievals: 3, chats: 1 });
    }, PATIENCE);
    expect(await today(other.key)).toEqual({ ...NOTHING, day: toUtcDay(Date.now()) });
  });

  it('does not count rejected requests', async () => {
    const { key } = await createTenant();
    const pipeline = await makePipeline(key);
    await call('POST', `/api/v1/pipelines/${pipeline}/retrieve`, { key, body: { query: 7 } });
    await call('POST', `/api/v1/pipelines/${crypto.randomUUID()}/retrieve`, { key, body: { query: 'x' } });
    await call('POST', `/api/v1/pipelines/${pipeline}/retrieve`, { key, body: { query: 'x' } });
    await vi.waitFor(async () => expect((await today(key)).retrievals).toBe(1), PATIENCE);
  });

  it('combines many counts into few writes, without losing any', async () => {
    const { key, projectId } = await createTenant();
    const { ctx, done, works } = contextWithin();
    const write = vi.spyOn(ctx.db, 'batch');
    for (let count = 0; count < 200; count += 1) countActivity(ctx, projectId, 'retrievals');
    // A count of a deleted project does not prevent the other counts.
    countActivity(ctx, crypto.randomUUID(), 'chats');
    expect(works.length).toBeLessThanOrEqual(1);
    await done();
    expect(write.mock.calls.length).toBeLessThanOrEqual(3);
    expect((await today(key)).retrievals).toBe(200);
  });

  it('continues to count after a database failure', async () => {
    const { key, projectId } = await createTenant();
    const { ctx, done } = contextWithin();
    const log = vi.spyOn(ctx.log, 'warn').mockImplementation(() => {});
    vi.spyOn(ctx.db, 'batch').mockRejectedValueOnce(new Error('D1 is busy'));
    countActivity(ctx, projectId, 'chats');
    await done();
    expect(log).toHaveBeenCalledWith('activity_not_counted', { error: 'D1 is busy' });
    const next = contextWithin();
    countActivity(next.ctx, projectId, 'chats');
    await next.done();
    expect((await today(key)).chats).toBe(1);
  });

  it('counts a run once when it ends, with its indexed and failed documents', async () => {
    const { key } = await createTenant();
    const pipelineId = await makePipeline(key);
    const { ctx } = contextWithin();
    const run = {
      jobId: crypto.randomUUID(),
      pipelineId,
      generation: 1,
      reason: 'sync',
      startedAt: Date.now(),
      counters: { indexed: 3, failed: 1, pages: 40 },
    } as unknown as Run;
    await recordRun(ctx, run);
    expect((await today(key)).syncs).toBe(0);
    await concludeRun(ctx, run);
    await concludeRun(ctx, run);
    const counted = { syncs: 1, documents_indexed: 3, documents_failed: 1, pages_indexed: 40 };
    expect(await today(key)).toMatchObject(counted);
    await call('DELETE', `/api/v1/pipelines/${pipelineId}`, { key });
    expect(await today(key)).toMatchObject(counted);
  });

  it('shows jobs on the UTC day of their end, and every day of the period', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    const rows: [project: string, product: string, at: string, pages: number][] = [
      [mine.projectId, 'parse', '2026-02-27T23:59:59.999Z', 1],
      [mine.projectId, 'extract', '2026-02-28T00:00:00Z', 2],
      [mine.projectId, 'extract', '2026-02-28T12:00:00Z', 4],
      [mine.projectId, 'classify', '2026-03-02T23:59:59.999Z', 8],
      [mine.projectId, 'parse', '2026-03-03T00:00:00Z', 16],
      [theirs.projectId, 'parse', '2026-03-01T00:00:00Z', 100],
    ];
    await env.DB.batch(
      rows.map(([project, product, at, pages]) =>
        env.DB.prepare(
          `insert into usage_records (id, job_id, project_id, product, created_at, pages, credits)
           values (?1, ?1, ?2, ?3, ?4, ?5, 1)`,
        ).bind(crypto.randomUUID(), project, product, Date.parse(at), pages),
      ),
    );
    const { body } = await daily(mine.key, '?start=2026-02-28&end=2026-03-02');
    expect(body).toEqual({
      start: '2026-02-28',
      end: '2026-03-02',
      days: [
        { ...NOTHING, day: '2026-02-28', extract_jobs: 2, job_pages: 6 },
        { ...NOTHING, day: '2026-03-01' },
        { ...NOTHING, day: '2026-03-02', classify_jobs: 1, job_pages: 8 },
      ],
    });
  });

  it('covers the last thirty days by default, and rejects an invalid or too long period', async () => {
    const { key } = await createTenant();
    const { body } = await daily(key);
    expect(body.days.length).toBe(30);
    expect(body.days.at(-1)!.day).toBe(body.end);
    expect((await daily(key, '?start=2025-01-01&end=2026-01-01')).body.days.length).toBe(366);
    for (const [query, field] of [
      ['?start=2025-01-01&end=2026-01-02', 'start'],
      ['?start=2026-01-02&end=2026-01-01', 'end'],
      ['?end=0000-01-01', 'start'],
      ['?start=2026-02-30', 'start'],
    ] as const) {
      const refused = await daily(key, query);
      expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', field] }] } });
    }
  });

  it('reads only the days of its project from an index', async () => {
    const { ctx } = contextWithin();
    for (const rows of [selectActivity, selectJobUsage]) {
      const { sql, params } = rows(ctx, 'a project', '2026-01-01', '2026-01-31').toSQL();
      const { results } = await env.DB.prepare(`explain query plan ${sql}`)
        .bind(...params)
        .all<{ detail: string }>();
      expect(results[0]!.detail).toMatch(/^SEARCH .*\(project_id=\? AND (?:day|created_at)>\? AND /);
    }
  });
});
