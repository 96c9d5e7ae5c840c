import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  listMessages,
  MAX_STORED_MESSAGES,
  type Question,
  storeAnswer,
  storeQuestion,
} from '#src/chat/sessions/messages.ts';
import {
  createSession,
  deletePlaygroundSession,
  deleteSession,
  getSession,
  listSessions,
  MAX_SESSIONS,
  openPlaygroundSession,
  renameSession,
} from '#src/chat/sessions/sessions.ts';
import { selectStreams } from '#src/chat/sessions/streams.ts';
import { createContext, type TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { chatMessages, chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { call } from '#test/support/client.ts';
import { hasRow, insertPipeline, valuesOf } from '#test/support/inserted-rows.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// Sessions belong to one user and one pipeline, and messages to one session.

const db = openDatabase(env.DB);
const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;
let scope: TenantContext;
/** Another user who reaches the same pipeline. */
let colleague: TenantContext;
let pipeline: string;
let other: string;

beforeEach(async () => {
  tenant = await createTenant();
  scope = await scopeOf(tenant);
  const { userId } = await createTenant();
  colleague = { ...scope, actor: { ...scope.actor, userId } };
  pipeline = await insertPipeline(tenant.projectId);
  other = await insertPipeline(tenant.projectId);
});

const at = (pipeline_id: string) => ({ pipeline_id });
const page = { limit: 10, offset: 0 };

async function insertSession(
  { actor: { userId } }: TenantContext,
  pipelineId: string,
  columns: Partial<typeof chatSessions.$inferInsert> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const row = { id, pipelineId, userId, llmParamsId: 'x', retrievalParamsId: 'x' };
  await db.insert(chatSessions).values({ ...row, ...columns });
  return id;
}

async function insertMessage(
  sessionId: string,
  position: number,
  columns: Partial<typeof chatMessages.$inferInsert> = {},
): Promise<string> {
  const id = newId();
  const row = { id, sessionId, position, role: 'user', content: `message ${position}` };
  await db.insert(chatMessages).values({ ...row, ...columns });
  return id;
}

const contentsOf = async (sessionId: string) =>
  (await listMessages(ctx, sessionId)).map(({ content }) => content);

describe('sessions', () => {
  it('are listed, counted and read by their own user, at their pipeline', async () => {
    const mine = await insertSession(scope, pipeline);
    const [theirs, elsewhere] = [await insertSession(colleague, pipeline), await insertSession(scope, other)];
    const listed = await listSessions(scope, at(pipeline), page);
    expect([listed.sessions.map(({ id }) => id), listed.total]).toEqual([[mine], 1]);
    expect((await getSession(scope, at(pipeline), mine)).id).toBe(mine);
    for (const id of [theirs, elsewhere])
      await expect(getSession(scope, at(pipeline), id)).rejects.toBeInstanceOf(NotFound);
  });

  it('are renamed and deleted by their own user alone, one at a time', async () => {
    const [gone, kept] = [await insertSession(scope, pipeline), await insertSession(scope, pipeline)];
    const theirs = await insertSession(colleague, pipeline);
    const messages = await Promise.all([gone, kept, theirs].map((id) => insertMessage(id, 0)));
    await expect(deleteSession(scope, at(pipeline), theirs)).rejects.toBeInstanceOf(NotFound);
    await expect(renameSession(scope, at(pipeline), theirs, 'x')).rejects.toBeInstanceOf(NotFound);
    await renameSession(scope, at(pipeline), kept, 'Tides');
    const names = await Promise.all(
      [gone, kept, theirs].map((id) => valuesOf('chat_sessions', 'name', `id = '${id}'`)),
    );
    expect(names.flat()).toEqual([null, 'Tides', null]);
    await deleteSession(scope, at(pipeline), gone);
    const left = await Promise.all(messages.map((id) => hasRow('chat_messages', id)));
    expect(left).toEqual([false, true, true]);
  });

  it('of the playground are separate for each user and pipeline, and deleted alone', async () => {
    const theirs = await insertSession(colleague, pipeline, { isPlayground: true });
    const elsewhere = await insertSession(scope, other, { isPlayground: true });
    const named = await insertSession(scope, pipeline);
    const mine = (await openPlaygroundSession(scope, at(pipeline))).id;
    expect([theirs, elsewhere, named]).not.toContain(mine);
    expect((await openPlaygroundSession(scope, at(pipeline))).id).toBe(mine);
    await deletePlaygroundSession(scope, at(pipeline));
    const left = await Promise.all([mine, theirs, elsewhere, named].map((id) => hasRow('chat_sessions', id)));
    expect(left).toEqual([false, true, true, true]);
  });

  it('are limited in number for each user and pipeline, exactly', async () => {
    const insertMany = (number: number, userId: string, pipelineId: string) =>
      env.DB.prepare(
        `insert into chat_sessions (id, pipeline_id, user_id, is_playground, llm_params_id, retrieval_params_id,
           created_at, updated_at)
         select value, ?1, ?2, 0, 'x', 'x', 0, 0 from json_each(?3)`,
      )
        .bind(pipelineId, userId, JSON.stringify(Array.from({ length: number }, () => crypto.randomUUID())))
        .run();
    await insertMany(MAX_SESSIONS, colleague.actor.userId, pipeline);
    await insertMany(MAX_SESSIONS, scope.actor.userId, other);
    await insertMany(MAX_SESSIONS - 1, scope.actor.userId, pipeline);
    await createSession(scope, at(pipeline), null);
    await expect(createSession(scope, at(pipeline), null)).rejects.toBeInstanceOf(Conflict);
  });
});

describe('answers that can be resumed', () => {
  it('are those of the user, the pipeline and the chat, newest first', async () => {
    const insert = async ({ actor: { userId } }: TenantContext, pipelineId: string, chatId: string) => {
      const [id, sessionId] = [newId(), await insertSession(scope, pipelineId)];
      await db.insert(chatStreams).values({ id, pipelineId, userId, sessionId, chatId });
      return id;
    };
    const [older, newer] = [await insert(scope, pipeline, 'a chat'), await insert(scope, pipeline, 'a chat')];
    await insert(colleague, pipeline, 'a chat');
    await insert(scope, other, 'a chat');
    await insert(scope, pipeline, 'another chat');
    const corpus = { kind: 'pipeline', id: pipeline, projectId: tenant.projectId } as const;
    const found = await selectStreams(scope, corpus, 'a chat');
    expect(found.map(({ id }) => id)).toEqual([newer, older]);
  });
});

describe('a question', () => {
  const store = (sessionId: string, clientId: string | undefined, more: Partial<Question> = {}) =>
    storeQuestion(ctx, {
      ...{ sessionId, clientId, role: 'user', content: 'New?', llm: null, retrieval: null },
      ...more,
    });

  it('replaces the question of its session whose id it has', async () => {
    const session = await insertSession(scope, pipeline);
    const id = await insertMessage(session, 0);
    await insertMessage(session, 1);
    expect(await store(session, id)).toBe(id);
    expect(await contentsOf(session)).toEqual(['New?', 'message 1']);
  });

  it('does not replace a question of another session', async () => {
    const [session, second] = [await insertSession(scope, pipeline), await insertSession(scope, pipeline)];
    const stored = await insertMessage(second, 0, { clientId: 'm1' });
    for (const id of [stored, 'm1']) expect(await store(session, id)).not.toBe(stored);
    expect(await contentsOf(session)).toEqual(['New?', 'New?']);
    expect(await contentsOf(second)).toEqual(['message 0']);
  });

  it('does not replace an answer', async () => {
    const session = await insertSession(scope, pipeline);
    const question = await insertMessage(session, 0);
    const answer = await insertMessage(session, 1, { role: 'assistant', answers: question });
    expect(await store(session, answer)).not.toBe(answer);
    expect(await contentsOf(session)).toEqual(['message 0', 'message 1', 'New?']);
  });

  it('names its session and keeps its parameters there alone', async () => {
    const [session, second] = [await insertSession(scope, pipeline), await insertSession(scope, pipeline)];
    await store(session, undefined, { llm: { temperature: 1 }, retrieval: { alpha: 0 } });
    await store(session, undefined, { content: 'Second?' });
    const read = (column: string) =>
      Promise.all([session, second].map((id) => valuesOf('chat_sessions', column, `id = '${id}'`)));
    expect((await read('name')).flat()).toEqual(['New?', null]);
    expect((await read('llm_params')).flat()).toEqual(['{"temperature":1}', null]);
    expect((await read('retrieval_params')).flat()).toEqual(['{"alpha":0}', null]);
  });

  it('deletes the messages before the newest of its session alone', async () => {
    const [session, second] = [await insertSession(scope, pipeline), await insertSession(scope, pipeline)];
    const positions = [0, 1, 2, MAX_STORED_MESSAGES];
    for (const position of positions) await insertMessage(session, position);
    await insertMessage(second, 0);
    await store(session, undefined);
    expect(await contentsOf(session)).toEqual(['message 2', `message ${MAX_STORED_MESSAGES}`, 'New?']);
    expect(await contentsOf(second)).toEqual(['message 0']);
  });

  it('that names a question of another session leaves that session alone', async () => {
    const { key } = tenant;
    const id = await createFixtures(tenant).pipeline();
    const [first, second] = [await insertSession(scope, id), await insertSession(scope, id)];
    const stored = await insertMessage(first, 0, { clientId: 'm1' });
    await insertMessage(first, 1, { role: 'assistant', answers: stored });
    for (const messageId of [stored, 'm1']) {
      for (const trigger of ['submit-message', 'regenerate-message']) {
        const body = {
          messages: [{ role: 'user', content: 'New?' }],
          session_id: second,
          messageId,
          trigger,
        };
        const answer = await call('POST', `/api/v1/pipelines/${id}/chat`, { key, body });
        expect(answer.status).toBe(200);
      }
    }
    expect(await contentsOf(first)).toEqual(['message 0', 'message 1']);
    expect(await contentsOf(second)).toContain('New?');
  });
});

describe('an answer', () => {
  const answer = (text: string) => ({ text, annotations: [] });

  it('replaces the earlier answer to its question alone', async () => {
    const session = await insertSession(scope, pipeline);
    const [first, second] = [await insertMessage(session, 0), await insertMessage(session, 2)];
    await insertMessage(session, 1, { role: 'assistant', answers: first });
    await insertMessage(session, 3, { role: 'assistant', answers: second });
    const ids = { sessionId: session, messageId: newId(), endsSession: false };
    await storeAnswer(ctx, { ...ids, questionId: first }, answer('Again.'));
    expect(await contentsOf(session)).toEqual(['message 0', 'Again.', 'message 2', 'message 3']);
  });

  it('without a text is not stored', async () => {
    const session = await insertSession(scope, pipeline);
    const questionId = await insertMessage(session, 0);
    const ids = { sessionId: session, questionId, messageId: newId(), endsSession: true };
    await storeAnswer(ctx, ids, answer(''));
    expect(await contentsOf(session)).toEqual(['message 0']);
  });

  it('that is given again deletes the later messages, except those that followed it, of its session alone', async () => {
    const [session, second] = [await insertSession(scope, pipeline), await insertSession(scope, pipeline)];
    await insertMessage(session, 0);
    const questionId = await insertMessage(session, 1);
    await insertMessage(session, 2, { role: 'assistant', answers: questionId });
    await insertMessage(session, 3);
    for (const position of [1, 2, 3]) await insertMessage(second, position);
    const messageId = newId();
    await insertMessage(session, 4, { content: 'Asked meanwhile?' });
    await storeAnswer(
      ctx,
      { sessionId: session, questionId, messageId, endsSession: true },
      answer('Again.'),
    );
    expect(await contentsOf(session)).toEqual(['message 0', 'message 1', 'Again.', 'Asked meanwhile?']);
    expect(await contentsOf(second)).toEqual(['message 1', 'message 2', 'message 3']);
  });
});
