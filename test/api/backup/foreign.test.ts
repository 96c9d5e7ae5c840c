import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '#src/services/backup/restored-as.ts';
import { begunProject, MOMENT, projectRow, type Refusal, writeRows } from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let stranger: Tenant;
beforeAll(async () => {
  stranger = await createTenant();
});

describe('a project’s backup is refused', () => {
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

  it('with a row of another project', () =>
    refused('retrievers', () => retriever(stranger.projectId), `${stranger.projectId} is another project`));

  it('with another project’s own row', () =>
    refused('projects', () => projectRow(stranger.projectId), `${stranger.projectId} is another project`));

  it('with the id of another project’s thing', async () => {
    const id = await pipeline();
    await refused(
      'pipelines',
      (project_id) => ({ ...ownPipeline(project_id), id }),
      `pipelines/${id} belongs to another project`,
    );
  });

  it('where a row belongs to another project’s thing', async () => {
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

  it('where a conversation is with another project’s pipeline', async () => {
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
    // With a retriever of its own, so that the session's lack of one is no plain no.
    const { id, project } = await begunProject();
    await writeRows(id, 'retrievers', [retriever(project)]);
    const message = { id: crypto.randomUUID(), session_id: session.id, position: 0, role: 'user' };
    const answer = await writeRows<Refusal>(id, 'chat_messages', [message]);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body.detail)).toContain(`chat_sessions/${session.id} belongs to another`);
  });

  it('where a retriever or a playground names another project’s pipeline', async () => {
    const id = await pipeline();
    const pipelines = JSON.stringify([{ name: 'a' }, { name: 'b', pipeline_id: id }]);
    const says = `pipelines/${id} belongs to another project`;
    await refused('retrievers', (project) => ({ ...retriever(project), pipelines }), says);
    await refused('pipelines', (project) => ({ ...ownPipeline(project), managed_pipeline_id: id }), says);
  });

  it('where a job names another project’s file', async () => {
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

  it('where a file’s bytes are another project’s', async () => {
    const storage_key = `projects/${stranger.projectId}/files/a/b`;
    const file = (project_id: string): Row => ({
      id: crypto.randomUUID(),
      project_id,
      name: 'f',
      storage_key,
    });
    await refused('files', file, `keeps nothing at ${storage_key}`);
  });

  it('with columns and tables that are none of its', async () => {
    await refused('retrievers', (project) => ({ ...retriever(project), extra: 1 }), 'has no such column');
    await refused('retrievers', (project) => ({ ...retriever(project), name: null }), 'retrievers needs it');
    await refused('api_keys', () => ({ id: 'a' }), 'has no table api_keys');
  });
});
