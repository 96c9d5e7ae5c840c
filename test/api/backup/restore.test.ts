import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { dataSinks } from '#src/db/schema/index.ts';
import type { Row } from '#src/services/backup/restore-rules.ts';
import {
  ADMIN,
  begunProject,
  finishRestore,
  MOMENT,
  projectRow,
  type Refusal,
  writeRows,
} from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let stranger: Tenant;
beforeAll(async () => {
  stranger = await createTenant();
});

describe('unfinished work in a backup', () => {
  const job = (project_id: string, status: string): Row => ({
    id: `pjb-${crypto.randomUUID()}`,
    project_id,
    user_id: 'u',
    status,
    file_input: 'gone',
    document_input_type: 'file_id',
    configuration: '{}',
    attempt: 3,
    started_at: MOMENT,
    created_at: MOMENT,
    updated_at: MOMENT,
  });
  const stored = (table: string, id: unknown) =>
    env.DB.prepare(`select * from ${table} where id = ?`).bind(id).first();

  it('is restored as after a restart', async () => {
    const { id, project } = await begunProject();
    const pipeline_id = crypto.randomUUID();
    const configs = [
      'embedding_config',
      'transform_config',
      'parse_parameters',
      'preset_retrieval_parameters',
    ];
    const hashes = ['embedding_config_hash', 'parsing_config_hash', 'transform_config_hash'];
    const pipeline = {
      ...Object.fromEntries([...configs.map((name) => [name, '{}']), ...hashes.map((name) => [name, ''])]),
      id: pipeline_id,
      project_id: project,
      name: 'p',
    };
    await writeRows(id, 'pipelines', [pipeline]);
    const file = { id: crypto.randomUUID(), project_id: project, name: 'f' };
    await writeRows(id, 'files', [file]);
    const member = {
      id: crypto.randomUUID(),
      pipeline_id,
      kind: 'file',
      document_id: file.id,
      file_id: file.id,
    };
    await writeRows(id, 'pipeline_members', [{ ...member, status: 'SUCCESS', job_id: 'j', chunk_count: 4 }]);
    const run = {
      id: crypto.randomUUID(),
      pipeline_id,
      generation: 7,
      status: 'IN_PROGRESS',
      reason: 'request',
    };
    await writeRows(id, 'sync_runs', [{ ...run, counters: '{}', started_at: MOMENT, finished_at: null }]);
    const [open, over] = [job(project, 'RUNNING'), job(project, 'FAILED')];
    await writeRows(id, 'parse_jobs', [open, over]);
    const delivery = {
      id: crypto.randomUUID(),
      project_id: project,
      job_id: 'j',
      event_id: 'e',
      endpoint: 'e',
    };
    const event = { sequence: 1, event_type: 't', configuration: '{}', body: '{}', status: 'pending' };
    await writeRows(id, 'webhook_deliveries', [{ ...delivery, ...event, next_attempt_at: MOMENT }]);

    expect(await stored('pipeline_members', member.id)).toMatchObject({
      status: 'NOT_STARTED',
      job_id: null,
      chunk_count: null,
    });
    expect(await stored('sync_runs', run.id)).toMatchObject({
      status: 'CANCELLED',
      finished_at: expect.any(Number),
    });
    expect(await stored('parse_jobs', open.id)).toMatchObject({
      status: 'PENDING',
      attempt: 0,
      started_at: null,
    });
    expect(await stored('parse_jobs', over.id)).toMatchObject({
      status: 'FAILED',
      attempt: 3,
      started_at: MOMENT,
    });
    expect(await stored('webhook_deliveries', delivery.id)).toMatchObject({
      status: 'dead',
      next_attempt_at: null,
    });

    expect(await finishRestore(id)).toEqual({ syncs: 1, jobs: 1 });
    // The run history continues: the newest run determines the status of the pipeline.
    const newest = await env.DB.prepare('select max(generation) as n from sync_runs where pipeline_id = ?')
      .bind(pipeline_id)
      .first('n');
    expect(newest).toBe(8);
    const again = await call('POST', `${ADMIN}/restores/${id}/finish`, { body: { page_token: null } });
    expect(again.status).toBe(404);
    expect((await env.FILES.list({ prefix: `restores/${id}/` })).objects).toEqual([]);
  });

  it('is cancelled if the restore has the hold option', async () => {
    const project = crypto.randomUUID();
    const body = { backup_id: crypto.randomUUID(), project, hold: true };
    await call('POST', `${ADMIN}/restores`, { body });
    await writeRows(body.backup_id, 'projects', [projectRow(project)]);
    const open = job(project, 'PENDING');
    await writeRows(body.backup_id, 'parse_jobs', [open]);
    expect(await stored('parse_jobs', open.id)).toMatchObject({
      status: 'CANCELLED',
      finished_at: expect.any(Number),
    });
  });
});

describe('after a rollback of the database', () => {
  it('an index that was invalidated is rebuilt, and answers until then', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'a.md': '# Harbour\n\nIgnatius keeps the lighthouse.' });
    await untilFinished(id);
    const indexes = async () =>
      (
        await env.DB.prepare("select id from pipeline_indexes where pipeline_id = ? and state = 'live'")
          .bind(id)
          .all<{ id: string }>()
      ).results.map((row) => row.id);
    const before = await indexes();
    await env.DB.prepare("update pipeline_indexes set config_hash = '' where pipeline_id = ?").bind(id).run();
    expect((await retrieve(id, 'lighthouse')).length).toBeGreaterThan(0);
    await sync(id);
    const after = await indexes();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    expect((await retrieve(id, 'lighthouse')).length).toBeGreaterThan(0);
  });
});

describe('a restore', () => {
  it('is rejected if the target is not empty, with what it contains', async () => {
    const { projectId, key } = await createTenant();
    await call('POST', '/api/v1/pipelines', { key, body: { name: 'there' } });
    for (const project of [projectId, null]) {
      const body = { backup_id: crypto.randomUUID(), project };
      const answer = await call<Refusal>('POST', `${ADMIN}/restores`, { body });
      expect(answer.status).toBe(409);
      expect(answer.body.detail).toMatch(/\d+ pipelines/);
    }
    expect((await writeRows(crypto.randomUUID(), 'projects', [])).status).toBe(404);
  });

  it('resumes only with the same target', async () => {
    const { id, project } = await begunProject();
    const again = (more: object) =>
      call<{ resumed: boolean }>('POST', `${ADMIN}/restores`, { body: { backup_id: id, ...more } });
    expect((await again({ project })).body.resumed).toBe(true);
    const other = await again({});
    expect(other.status).toBe(409);
    expect(JSON.stringify(other.body)).toContain('was started for another project');
  });

  it('restores a project into the given organization, and rejects a name that is taken', async () => {
    const project = crypto.randomUUID();
    const body = { backup_id: crypto.randomUUID(), project, organization: stranger.organizationId };
    expect((await call('POST', `${ADMIN}/restores`, { body })).status).toBe(200);
    const taken = await writeRows<Refusal>(body.backup_id, 'projects', [
      { ...projectRow(project), name: 'Default' },
    ]);
    expect(taken.status).toBe(409);
    expect(taken.body.detail).toContain('projects.name');
    await writeRows(body.backup_id, 'projects', [projectRow(project)]);
    const row = await env.DB.prepare('select * from projects where id = ?').bind(project).first();
    expect(row).toMatchObject({ organization_id: stranger.organizationId, is_default: 0 });
    const nowhere = {
      ...body,
      backup_id: crypto.randomUUID(),
      project: crypto.randomUUID(),
      organization: crypto.randomUUID(),
    };
    expect((await call('POST', `${ADMIN}/restores`, { body: nowhere })).status).toBe(404);
  });

  it('lists the references from the project to other projects', async () => {
    const { projectId, organizationId } = await createTenant();
    const other = crypto.randomUUID();
    await env.DB.prepare("insert into projects (id, organization_id, name) values (?, ?, 'other')")
      .bind(other, organizationId)
      .run();
    const sink = crypto.randomUUID();
    await openDatabase(env.DB)
      .insert(dataSinks)
      .values({ id: sink, projectId: other, name: 'n', sinkType: 'VENDOR_E', component: {} });
    const pipeline = crypto.randomUUID();
    await env.DB.prepare(
      `insert into pipelines (id, project_id, name, embedding_config, transform_config, parse_parameters,
         preset_retrieval_parameters, embedding_config_hash, parsing_config_hash, transform_config_hash, data_sink_id)
       values (?, ?, 'p', '{}', '{}', '{}', '{}', '', '', '', ?)`,
    )
      .bind(pipeline, projectId, sink)
      .run();
    const outside = async (project: string) =>
      (await call<{ outside: object[] }>('GET', `${ADMIN}/backup?project=${project}`)).body.outside;
    expect(await outside(projectId)).toEqual([
      { place: `pipelines/${pipeline}`, reference: `data_sinks/${sink}` },
    ]);
    const [retriever, playground] = [crypto.randomUUID(), crypto.randomUUID()];
    await env.DB.prepare("insert into retrievers (id, project_id, name, pipelines) values (?, ?, 'r', ?)")
      .bind(retriever, other, JSON.stringify([{ pipeline_id: 'none' }, { pipeline_id: pipeline }]))
      .run();
    await env.DB.prepare(
      `insert into pipelines (id, project_id, name, embedding_config, transform_config, parse_parameters,
         preset_retrieval_parameters, embedding_config_hash, parsing_config_hash, transform_config_hash, managed_pipeline_id)
       values (?, ?, 'p', '{}', '{}', '{}', '{}', '', '', '', ?)`,
    )
      .bind(playground, other, pipeline)
      .run();
    expect(await outside(other)).toEqual([
      { place: `pipelines/${playground}`, reference: `pipelines/${pipeline}` },
      { place: `retrievers/${retriever}`, reference: `pipelines/${pipeline}` },
    ]);
    await env.DB.prepare('delete from pipelines where id = ?').bind(pipeline).run();
  });
});
