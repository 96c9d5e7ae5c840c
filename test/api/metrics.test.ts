import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { METRICS } from '#src/metrics/registry.ts';
import { readGauges } from '#src/services/operating/gauges.ts';
import { startWith } from '#test/support/configured.ts';
import { kept } from '#test/support/dead-letters.ts';
import { BASE } from '#test/support/fetch-service.ts';
import { createTenant } from '#test/support/tenants.ts';

const service = startWith({ METRICS_SECONDS: '0.01' });
const operator = String(env.BOOTSTRAP_API_KEY);

const ask = (path: string, key?: string, headers: Record<string, string> = {}) =>
  service(
    new Request(`${BASE}${path}`, {
      headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }) },
    }),
  );

async function scraped(headers: Record<string, string> = {}) {
  const answer = await ask('/metrics', operator, headers);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  const value = (series: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  return { answer, text, value };
}

describe('metrics', () => {
  it('are only for the operator', async () => {
    const { key } = await createTenant();
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', 'slc_of_nobody_at_all_000000')).status).toBe(401);
    expect((await ask('/metrics', key)).status).toBe(403);
  });

  it('are returned in the requested format', async () => {
    const { answer, text } = await scraped();
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const name of Object.keys(METRICS)) expect(text).toContain(`# TYPE ${name} `);
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\\]*",?)*\})? -?[\d.e+-]+)$/);
    }
    const open = await scraped({ accept: 'application/openmetrics-text;version=1.0.0' });
    expect(open.answer.headers.get('content-type')).toMatch(
      /^application\/openmetrics-text; version=1\.0\.0/,
    );
    expect(open.text.endsWith('# EOF\n')).toBe(true);
  });

  it('count requests by operation and status, for any caller and path', async () => {
    const { key } = await createTenant();
    const id = crypto.randomUUID();
    const series = 'sluice_http_requests_total{method="GET",operation="getPipeline",status="404"}';
    const before = (await scraped()).value(series) ?? 0;
    for (let n = 0; n < 3; n += 1) await ask(`/api/v1/pipelines/${id}`, key);
    await ask(`/${id}`, key);
    await service(new Request(`${BASE}/${id}`, { method: 'PROPFIND' }));
    const { value, text } = await scraped();
    expect(value(series)).toBe(before + 3);
    expect(value('sluice_http_request_seconds_count{operation="getPipeline"}')).toBeGreaterThanOrEqual(3);
    expect(value('sluice_http_requests_total{method="GET",operation="none",status="404"}')).toBeGreaterThan(
      0,
    );
    expect(value('sluice_http_requests_total{method="other",operation="none",status="404"}')).toBeGreaterThan(
      0,
    );
    expect(text).not.toContain(id);
  });
});

describe('gauges', () => {
  const PIPELINE = crypto.randomUUID();
  const AGO_MS = 3_600_000;

  beforeAll(async () => {
    const { projectId } = await createTenant();
    const then = Date.now() - AGO_MS;
    const job =
      'insert into parse_jobs (id, project_id, user_id, status, file_input, document_input_type, configuration, created_at)';
    const rows = `values (?, ?, 'somebody', ?, 'a.pdf', 'file_id', '{}', ?)`;
    await env.DB.batch([
      env.DB.prepare(`${job} ${rows}`).bind(`pjb-${crypto.randomUUID()}`, projectId, 'RUNNING', then),
      env.DB.prepare(`${job} ${rows}`).bind(
        `pjb-${crypto.randomUUID()}`,
        projectId,
        'COMPLETED',
        then - AGO_MS,
      ),
      env.DB.prepare(
        `insert into webhook_deliveries (id, project_id, job_id, event_id, endpoint, sequence, event_type, configuration, body, status, created_at)
         values (?, ?, 'test', 'e', 'e', 1, 'x', '{}', '', 'pending', ?)`,
      ).bind(crypto.randomUUID(), projectId, then),
    ]);
    await kept({ type: 'sync-pipeline', pipelineId: PIPELINE, generation: 1 });
  });

  it('show the number and the age of open work only', async () => {
    const { value } = await scraped();
    for (const what of ['parse', 'webhook']) {
      expect(value(`sluice_open{what="${what}"}`), what).toBe(1);
      const age = value(`sluice_oldest_seconds{what="${what}"}`)!;
      expect(age, what).toBeGreaterThanOrEqual(AGO_MS / 1000);
      expect(age, what).toBeLessThan(AGO_MS / 1000 + 600);
    }
    expect(value('sluice_open{what="extract"}')).toBe(0);
    expect(value('sluice_oldest_seconds{what="extract"}')).toBe(0);
    expect(value('sluice_dead_letters')).toBe(1);
  });

  it('do not read finished work', async () => {
    const [{ projectId }, then] = [await createTenant(), Date.now()];
    const rows = Array.from({ length: 300 }, (_, n) => [`pjb-over-${n}`, projectId, then]);
    await env.DB.prepare(
      `insert into parse_jobs (id, project_id, user_id, status, file_input, document_input_type, configuration, created_at)
       select value ->> 0, value ->> 1, 'somebody', 'COMPLETED', 'a.pdf', 'file_id', '{}', value ->> 2 from json_each(?)`,
    )
      .bind(JSON.stringify(rows))
      .run();
    const statements = vi.spyOn(env.DB, 'batch');
    const ctx = createContext(env, createExecutionContext());
    await readGauges(ctx);
    const answers = await Promise.all(
      statements.mock.results.map(({ value }) => value as Promise<D1Result[]>),
    );
    const read = answers.flat().reduce((sum, { meta }) => sum + meta.rows_read, 0);
    expect(answers.flat().length).toBeGreaterThan(5);
    expect(read).toBeLessThan(100);
  });
});
