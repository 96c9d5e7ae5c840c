import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '#src/services/backup/restore-rules.ts';
import { begunProject, MOMENT, projectRow, type Refusal, writeRows } from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let stranger: Tenant;
beforeAll(async () => {
  stranger = await createTenant();
});

describe('a backup of a project is rejected', () => {
  const refused = async (table: string, row: (project: string) => Row, says: string) => {
    const { id, project } = await begunProject();
    const answer = await writeRows<Refusal>(id, table, [row(project)]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(422);
    expect(JSON.stringify(answer.body.detail)).toContain(says);
  };
  const pipeline = async () =>
    (
      await call<{ id: string }>('POST', '/api/v1/pipelines', {
        key: stranger.key,
        body: { name: crypto.randomUUID() },
      })
    ).body.id;
  const retriever = (project_id: string): Row => ({
    id: crypto.randomUUID(),
    project_id,
    name: 'r',
    pipelines: '[]',
  });

  const ownPipeline = (project_id: string): Row => ({
    id: crypto.randomUUID(),
    project_id,
    name: 'p',
    embedding_config: '{}',
    transform_config: '{}',
    parse_parameters: '{}',
    preset_retrieval_parameters: '{}',
    embedding_config_hash: '',
    parsing_config_hash: '',
    transform_config_hash: '',
  });

  it('if it has a row of another project', () =>
    refused(
      'retrievers',
      () => retriever(stranger.projectId),
      `the row belongs to another project, ${stranger.projectId}`,
    ));

  it('if it has the project row of another project', () =>
    refused(
      'projects',
      () => projectRow(stranger.projectId),
      `the row belongs to another project, ${stranger.projectId}`,
    ));

  it('if it has the id of a resource of another project', async () => {
    const id = await pipeline();
    await refused(
      'pipelines',
      (project_id) => ({ ...ownPipeline(project_id), id }),
      `pipelines/${id} belongs to another project`,
    );
  });

  it('if a row belongs to a resource of another project', async () => {
    const pipeline_id = await pipeline();
    const run = {
      id: crypto.randomUUID(),
      pipeline_id,
      generation: 1,
      status: 'SUCCESS',
      reason: 'request',
      counters: '{}',
      started_at: MOMENT,
    };
    await refused('sync_runs', () => run, `pipelines/${pipeline_id} belongs to another project`);
  });

  it('if a conversation belongs to a pipeline of another project', async () => {
    const pipeline_id = await pipeline();
    const session = { id: crypto.randomUUID(), pipeline_id, retriever_id: null, user_id: stranger.userId };
    const ids = { llm_params_id: crypto.randomUUID(), retrieval_params_id: crypto.randomUUID() };
    await refused(
      'chat_sessions',
      () => ({ ...session, ...ids }),
      `pipelines/${pipeline_id} belongs to another`,
    );
    const columns = 'id, pipeline_id, user_id, llm_params_id, retrieval_params_id';
    await env.DB.prepare(`insert into chat_sessions (${columns}) values (?, ?, ?, '', '')`)
      .bind(session.id, pipeline_id, stranger.userId)
      .run();
    // The project needs a retriever, so that the request is not rejected for the missing retriever of the
    // session.
    const { id, project } = await begunProject();
    await writeRows(id, 'retrievers', [retriever(project)]);
    const message = { id: crypto.randomUUID(), session_id: session.id, position: 0, role: 'user' };
    const answer = await writeRows<Refusal>(id, 'chat_messages', [message]);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body.detail)).toContain(`chat_sessions/${session.id} belongs to another`);
  });

  it('if a retriever or a playground refers to a pipeline of another project', async () => {
    const id = await pipeline();
    const pipelines = JSON.stringify([{ name: 'a' }, { name: 'b', pipeline_id: id }]);
    const says = `pipelines/${id} belongs to another project`;
    await refused('retrievers', (project) => ({ ...retriever(project), pipelines }), says);
    await refused('pipelines', (project) => ({ ...ownPipeline(project), managed_pipeline_id: id }), says);
  });

  it('if a job refers to a file of another project', async () => {
    const file = crypto.randomUUID();
    await env.DB.prepare('insert into files (id, project_id, name) values (?, ?, ?)')
      .bind(file, stranger.projectId, 'f')
      .run();
    const job = (project_id: string): Row => ({
      id: `pjb-${crypto.randomUUID()}`,
      project_id,
      user_id: 'u',
      file_input: file,
      file_id: file,
      document_input_type: 'file_id',
      configuration: '{}',
    });
    await refused('parse_jobs', job, `files/${file} belongs to another project`);
  });

  it('if a file refers to an object of another project', async () => {
    const storage_key = `projects/${stranger.projectId}/files/a/b`;
    const file = (project_id: string): Row => ({
      id: crypto.randomUUID(),
      project_id,
      name: 'f',
      storage_key,
    });
    await refused('files', file, `${storage_key} is not an object key of project`);
  });

  it('if it has unknown columns or tables, or lacks a required value', async () => {
    await refused('retrievers', (project) => ({ ...retriever(project), extra: 1 }), 'has no such column');
    await refused(
      'retrievers',
      (project) => ({ ...retriever(project), name: null }),
      'retrievers requires a value',
    );
    await refused('api_keys', () => ({ id: 'a' }), 'has no table api_keys');
  });
});
