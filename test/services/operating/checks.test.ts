import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import type { Check, CheckStep } from '#src/services/operating/check.ts';
import { checkIndexes } from '#src/services/operating/checks/indexes.ts';
import { checkJobs, checkWebhooks } from '#src/services/operating/checks/jobs.ts';
import { checkDeletions, checkRuns } from '#src/services/operating/checks/runs.ts';
import { allOf } from '#test/support/checks.ts';
import { call, upload } from '#test/support/client.ts';
import { kept } from '#test/support/dead-letters.ts';
import { emptyService } from '#test/support/empty-service.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, sync, untilFinished } from '#test/support/pipelines.ts';

const PATIENCE = { timeout: PATIENCE_MS };
const LONG_AGO = Date.now() - 3_600_000;
const ctx = createContext(env, createExecutionContext());
const { objects } = ctx;

const all = (check: Check, fix = false, page_size = 2) => allOf(ctx, check, fix, page_size);

const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();
const first = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .first<Record<string, unknown>>();

const asked = (body: object) => call<CheckStep>('POST', '/api/v1/admin/checks', { body });

beforeEach(emptyService);
afterEach(() => void vi.restoreAllMocks());

describe('the schema check', () => {
  it('reports nothing until a table or column is missing', async () => {
    expect((await asked({ check: 'schema' })).body).toMatchObject({ findings: [], next_page_token: null });
    await run('drop table dead_letters');
    await run('alter table files drop column purpose');
    const { findings } = (await asked({ check: 'schema' })).body;
    expect(findings).toEqual([
      expect.objectContaining({ level: 'fail', place: 'dead_letters' }),
      expect.objectContaining({ level: 'fail', place: 'files', message: expect.stringContaining('purpose') }),
    ]);
  });
});

describe('the check of secrets', () => {
  it('reports a secret whose key is missing', async () => {
    const component = { uri: 'https://sink.example.com', token: 'a secret' };
    const sink = { name: 'sink', sink_type: 'VENDOR_C', component };
    const { body } = await call<{ id: string }>('POST', '/api/v1/data-sinks', { body: sink });
    expect((await asked({ check: 'secrets' })).body.findings).toEqual([]);
    const stored = await first('select component from data_sinks where id = ?', body.id);
    const lost = String(stored?.component).replaceAll('sealed:v1:k1:', 'sealed:v1:k0:');
    expect(lost).not.toBe(stored?.component);
    await run('update data_sinks set component = ? where id = ?', lost, body.id);
    let token: string | null | undefined = null;
    const findings = [];
    do {
      const step: CheckStep = (await asked({ check: 'secrets', fix: true, page_token: token })).body;
      findings.push(...step.findings);
      token = step.next_page_token;
    } while (token);
    expect(findings).toEqual([expect.objectContaining({ level: 'fail', mended: false })]);
    expect((await first('select component from data_sinks where id = ?', body.id))?.component).toBe(lost);
  });
});

describe('the check of sync runs', () => {
  const openRun = (pipelineId: string) =>
    run(
      `insert into sync_runs (id, pipeline_id, generation, status, reason, counters, started_at)
       values (?, ?, 99, 'IN_PROGRESS', 'request', '{}', ?)`,
      ...[crypto.randomUUID(), pipelineId, LONG_AGO],
    );

  it('ends runs that their owner has lost, and finishes their work', async () => {
    const pipelineIds = [];
    for (let n = 0; n < 3; n += 1) {
      const id = await createPipeline();
      await addFiles(id, { 'a.txt': 'alpha' });
      await untilFinished(id);
      await openRun(id);
      pipelineIds.push(id);
    }
    await run('delete from indexed_documents');
    const found = await all(checkRuns);
    expect(found.examined).toBe(3);
    expect(found.findings.map(({ mended }) => mended)).toEqual([false, false, false]);
    expect((await first('select count(*) as n from sync_runs where finished_at is null'))?.n).toBe(3);

    expect((await all(checkRuns, true)).findings.map(({ mended }) => mended)).toEqual([true, true, true]);
    await vi.waitFor(async () => {
      expect((await first('select count(*) as n from indexed_documents'))?.n).toBe(3);
      expect((await first('select count(*) as n from sync_runs where finished_at is null'))?.n).toBe(0);
    }, PATIENCE);
    expect((await all(checkRuns)).findings).toEqual([]);
  });

  it('wakes the owner of a run without an alarm', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'a.txt': 'alpha' });
    await sync(pipelineId);
    await untilFinished(pipelineId);
    const { jobId } = (await objects.pipelineSync(pipelineId).view())!;
    const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
    await runInDurableObject(stub, async (_, { storage }) => {
      storage.sql.exec("update run set state = 'working', finishedAt = null, progressAt = ?", LONG_AGO);
      await storage.deleteAlarm();
    });
    await run('update sync_runs set finished_at = null, started_at = ? where id = ?', LONG_AGO, jobId);
    expect((await all(checkRuns)).findings).toHaveLength(1);
    expect((await all(checkRuns, true)).findings).toMatchObject([{ mended: true }]);
    await runDurableObjectAlarm(stub);
    await vi.waitFor(async () => {
      expect(await first('select finished_at from sync_runs where id = ?', jobId)).not.toEqual({
        finished_at: null,
      });
    }, PATIENCE);
  });

  it('does not change a run that makes progress', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'a.txt': 'alpha' });
    await untilFinished(pipelineId);
    const { jobId } = (await objects.pipelineSync(pipelineId).view())!;
    const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("update run set state = 'working', finishedAt = null, progressAt = ?", Date.now());
    });
    await run('update sync_runs set finished_at = null, started_at = ? where id = ?', LONG_AGO, jobId);
    expect(await all(checkRuns, true)).toEqual({ examined: 1, findings: [] });
  });
});

describe('the check of jobs', () => {
  async function lostJob() {
    const file_input = await upload('invoice.md', INVOICE);
    const { id } = await createJob('extract', {
      file_input,
      configuration: { data_schema: INVOICE_SCHEMA },
      webhook_configurations: [
        { webhook_url: 'http://nowhere.example/', webhook_events: ['extract.success'] },
      ],
    });
    await untilEnded('extract', id);
    await vi.waitFor(async () => expect(await objects.jobState(id).view()).toBeNull(), PATIENCE);
    return id;
  }

  it('gives a job without an owner a new one', async () => {
    const id = await lostJob();
    await run(
      "update extract_jobs set status = 'PENDING', attempt = 0, created_at = ? where id = ?",
      LONG_AGO,
      id,
    );
    expect((await all(checkJobs)).findings).toMatchObject([{ place: `job ${id}`, mended: false }]);
    expect((await all(checkJobs, true, 1)).findings).toMatchObject([{ place: `job ${id}`, mended: true }]);
    expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
    expect((await all(checkJobs)).findings).toEqual([]);
  });

  it('delivers the pending webhooks of a job', async () => {
    const id = await lostJob();
    const delivery = () => first('select status from webhook_deliveries where job_id = ?', id);
    await vi.waitFor(async () => expect(await delivery()).toEqual({ status: 'dead' }), PATIENCE);
    await run(
      "update webhook_deliveries set status = 'pending', created_at = ? where job_id = ?",
      LONG_AGO,
      id,
    );
    expect((await all(checkWebhooks)).findings).toMatchObject([{ level: 'fail', mended: false }]);
    expect((await all(checkWebhooks, true)).findings).toMatchObject([{ mended: true }]);
    await vi.waitFor(async () => expect(await delivery()).toEqual({ status: 'dead' }), PATIENCE);
  });
});

describe('the check of deletions', () => {
  it('finishes the deletion of a pipeline', async () => {
    const id = await createPipeline();
    await run("update pipelines set status = 'DELETING', updated_at = ? where id = ?", LONG_AGO, id);
    expect((await all(checkDeletions)).findings).toMatchObject([{ place: `pipeline ${id}`, mended: false }]);
    expect((await all(checkDeletions, true)).findings).toMatchObject([{ mended: true }]);
    await vi.waitFor(
      async () => expect(await first('select id from pipelines where id = ?', id)).toBeNull(),
      PATIENCE,
    );
  });

  it('removes an index that was replaced', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'a.txt': 'alpha' });
    await untilFinished(pipelineId);
    await run("update pipeline_indexes set state = 'retired', updated_at = ?", LONG_AGO);
    expect((await all(checkIndexes)).findings).toMatchObject([{ level: 'warn', mended: false }]);
    expect((await all(checkIndexes, true)).findings).toMatchObject([{ mended: true }]);
    expect((await first('select count(*) as n from pipeline_indexes'))?.n).toBe(0);
  });
});

it('the check of dead letters resends them, and removes those that are no longer needed', async () => {
  await kept({ type: 'extract', jobId: 'ext-1' });
  expect((await asked({ check: 'dead_letters' })).body.findings).toMatchObject([
    { level: 'warn', mended: false },
  ]);
  expect((await asked({ check: 'dead_letters', fix: true })).body.findings).toMatchObject([
    { mended: true, message: expect.stringContaining('no longer needed') },
  ]);
  expect((await asked({ check: 'dead_letters' })).body).toMatchObject({ examined: 0, findings: [] });
});
