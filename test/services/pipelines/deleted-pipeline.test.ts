import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { openDatabase } from '#src/db/client.ts';
import { chatMessages, chatSessions, chatStreams, retrievers } from '#src/db/schema/index.ts';
import { listStored } from '#test/suites/tenancy/stored-rows.ts';
import { call } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import {
  attachSource,
  hasRow,
  insertFile,
  insertJob,
  insertMember,
  insertPipeline,
  insertProject,
  insertRun,
  insertSource,
  insertText,
} from '#test/support/inserted-rows.ts';
import { createPipeline, retrieve, untilFinished } from '#test/support/pipelines.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// A deletion takes everything of its owner along, and nothing of another owner.

const db = openDatabase(env.DB);

/** Inserts a conversation about a pipeline or retriever, and returns the ids of its rows. */
async function insertConversation(corpus: object, userId: string) {
  const [session, message, stream] = [0, 1, 2].map(() => crypto.randomUUID()) as [string, string, string];
  const row = { id: session, userId, llmParamsId: 'x', retrievalParamsId: 'x' };
  await db.insert(chatSessions).values({ ...row, ...corpus });
  await db.insert(chatMessages).values({ id: message, sessionId: session, position: 0, role: 'user' });
  await db
    .insert(chatStreams)
    .values({ id: stream, sessionId: session, userId, chatId: 'a chat', ...corpus });
  return { session, message, stream };
}

/** Fills a pipeline with a file that another pipeline has too, a long text, a run and a conversation. */
async function fill(
  { projectId, userId }: Tenant,
  pipelineId: string,
  shared: { file: string; source: string },
) {
  await insertMember(pipelineId, shared.file, { dataSourceId: shared.source });
  await attachSource(pipelineId, shared.source, { syncInterval: 600 });
  await insertRun(pipelineId, 1);
  const textId = crypto.randomUUID();
  await insertText(pipelineId, 'long', { textId, text: null });
  await env.FILES.put(keys.documentText(projectId, pipelineId, textId), 'A long text.');
  return insertConversation({ pipelineId }, userId);
}

describe('a pipeline that is deleted', () => {
  it('leaves the rows, texts and conversations of another pipeline as they are', async () => {
    const tenant = await createTenant();
    const { key, projectId } = tenant;
    const shared = { file: await insertFile(projectId), source: await insertSource(projectId) };
    const [gone, kept] = [await insertPipeline(projectId), await insertPipeline(projectId)];
    const lost = await fill(tenant, gone, shared);
    const { session, stream } = await fill(tenant, kept, shared);
    const ids = [kept, session, shared.source];
    const before = (await listStored(ids)).filter((line) => !line.includes(gone));
    expect(before.length).toBeGreaterThan(7);
    expect((await call('POST', `/api/v1/pipelines/${gone}/force-delete`, { key })).status).toBe(204);
    expect(await listStored(ids)).toEqual(before);
    expect(await hasRow('chat_streams', stream)).toBe(true);
    expect(await hasRow('files', shared.file)).toBe(true);
    const left = await listStored([gone, lost.session]);
    expect(left.filter((line) => !line.startsWith('audit_events '))).toEqual([]);
    expect(await hasRow('chat_streams', lost.stream)).toBe(false);
  });

  it('leaves the vectors of another pipeline, which still answers', async () => {
    const [gone, kept] = [await createPipeline(), await createPipeline()];
    for (const id of [gone, kept]) {
      const body = [{ id: 'd', text: 'The ferry leaves at noon.', metadata: {} }];
      await call('POST', `/api/v1/pipelines/${id}/documents`, { body });
      await untilFinished(id);
    }
    expect((await call('POST', `/api/v1/pipelines/${gone}/force-delete`)).status).toBe(204);
    const [found] = await retrieve(kept, 'When does the ferry leave?');
    expect(found?.node.text).toContain('noon');
  });
});

describe('a retriever that is deleted', () => {
  it('leaves the conversations of another retriever and of its pipelines', async () => {
    const { key, projectId, userId } = await createTenant();
    const pipelineId = await insertPipeline(projectId);
    const insert = async (name: string) => {
      const id = crypto.randomUUID();
      await db.insert(retrievers).values({ id, projectId, name, pipelines: [{ pipeline_id: pipelineId }] });
      return id;
    };
    const [gone, kept] = [await insert('gone'), await insert('kept')];
    const lost = await insertConversation({ retrieverId: gone }, userId);
    const left = [
      await insertConversation({ retrieverId: kept }, userId),
      await insertConversation({ pipelineId }, userId),
    ];
    expect((await call('DELETE', `/api/v1/retrievers/${gone}`, { key })).status).toBe(204);
    const exist = ({ session, message, stream }: typeof lost) =>
      Promise.all([
        hasRow('chat_sessions', session),
        hasRow('chat_messages', message),
        hasRow('chat_streams', stream),
      ]);
    expect(await exist(lost)).toEqual([false, false, false]);
    expect(await Promise.all(left.map(exist))).toEqual([
      [true, true, true],
      [true, true, true],
    ]);
    expect(await hasRow('retrievers', kept)).toBe(true);
  });
});

describe('the name of a retriever', () => {
  it('is free if it is taken in another project', async () => {
    const { key, projectId, organizationId } = await createTenant();
    const taken = { id: crypto.randomUUID(), projectId: await insertProject(organizationId), name: 'taken' };
    await db.insert(retrievers).values({ ...taken, pipelines: [] });
    const send = (method: string, path: string, name: string) =>
      call<{ id: string; project_id: string }>(method, `/api/v1/retrievers${path}`, { key, body: { name } });
    const { body } = await send('POST', '', 'own');
    expect((await send('PUT', `/${body.id}`, 'taken')).status).toBe(200);
    expect((await send('PUT', `/${body.id}`, 'own')).status).toBe(200);
    const made = await send('PUT', '', 'taken');
    expect(made).toMatchObject({ status: 200, body: { project_id: projectId } });
    expect(made.body.id).not.toBe(taken.id);
    expect((await send('POST', '', 'taken')).status).toBe(409);
  });
});

describe('a project that is deleted', () => {
  it('leaves the pipelines, files and jobs of another project as they are', async () => {
    const tenant = await createTenant();
    const { key, organizationId, projectId } = tenant;
    const doomed = await insertProject(organizationId);
    const fillProject = async (id: string) => {
      const shared = { file: await insertFile(id), source: await insertSource(id) };
      await env.FILES.put(`${keys.uploads(id, shared.file)}1`, 'A text.');
      const pipeline = await insertPipeline(id);
      const { session } = await fill({ ...tenant, projectId: id }, pipeline, shared);
      for (const kind of ['extract', 'classify', 'parse'] as const) {
        await insertJob(kind, id);
        await env.FILES.put(
          keys.jobResult(id, await insertJob(kind, id, { status: 'RUNNING', finishedAt: null })),
          '{}',
        );
      }
      return [id, pipeline, session];
    };
    const [gone, kept] = [await fillProject(doomed), await fillProject(projectId)];
    const list = async (ids: string[]) =>
      (await listStored(ids)).filter((line) => !/^(?:api_keys|audit_events) /.test(line));
    const before = await list(kept);
    expect((await call('DELETE', `/api/v1/projects/${doomed}`, { key })).status).toBe(204);
    expect(await list(kept)).toEqual(before);
    expect(await list(gone)).toEqual([]);
    expect(await keysUnder(keys.project(doomed))).toEqual([]);
  });
});
