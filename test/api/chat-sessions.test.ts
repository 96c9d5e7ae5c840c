import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { MAX_STORED_MESSAGES, storeQuestion } from '#src/chat/sessions/messages.ts';
import { MAX_SESSIONS } from '#src/chat/sessions/sessions.ts';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { chatMessages, chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Session {
  id: string;
  name: string | null;
  is_playground: boolean;
  user_id: string;
  llm_params: object | null;
  chat_messages: {
    id: string;
    index: number;
    role: string;
    content: string;
    additional_kwargs: Record<string, string>;
  }[];
}

interface List {
  sessions: Session[];
  total_count: number;
}

const at = (pipeline: string, rest = 'chat-sessions') => `/api/v1/pipelines/${pipeline}/${rest}`;
const create = async (pipeline: string, name?: string) =>
  (await call<Session>('POST', at(pipeline), { body: { name } })).body;
const read = async (pipeline: string, id: string) =>
  (await call<Session>('GET', at(pipeline, `chat-sessions/${id}`))).body;

async function ask(pipeline: string, content: string, more: object = {}, id?: string): Promise<void> {
  const body = { messages: [{ ...(id && { id }), role: 'user', content }], ...more };
  expect((await call('POST', at(pipeline, 'chat'), { body })).status).toBe(200);
}

const saidIn = ({ chat_messages }: Session) =>
  chat_messages.filter(({ role }) => role === 'user').map(({ content }) => content);

describe('sessions of a pipeline', () => {
  it('are created, named, chatted in separately, listed by their last message, and deleted', async () => {
    const pipeline = await createPipeline();
    const tides = await create(pipeline, 'Tides');
    const ferries = await create(pipeline);
    expect(tides).toMatchObject({ name: 'Tides', is_playground: false });
    expect(ferries.name).toBeNull();
    await ask(pipeline, 'Any ferry?', { session_id: ferries.id });
    await ask(pipeline, 'How high?', {
      session_id: tides.id,
      data: { llm_parameters: { temperature: 0.4 } },
    });
    await ask(pipeline, 'Which one?');
    expect(saidIn(await read(pipeline, tides.id))).toEqual(['How high?']);
    expect((await read(pipeline, tides.id)).llm_params).toEqual({ temperature: 0.4 });
    expect(saidIn(await read(pipeline, ferries.id))).toEqual(['Any ferry?']);
    const playground = (await call<Session>('GET', at(pipeline, 'playground-session'))).body;
    expect(saidIn(playground)).toEqual(['Which one?']);
    expect(playground.is_playground).toBe(true);

    const renamed = await call<Session>('PUT', at(pipeline, `chat-sessions/${ferries.id}`), {
      body: { name: 'Ferries' },
    });
    expect(renamed.body.name).toBe('Ferries');
    const list = await call<List>('GET', at(pipeline));
    expect(list.body.sessions.map(({ id }) => id)).toEqual([playground.id, tides.id, ferries.id]);
    const second = await call<List>('GET', `${at(pipeline)}?limit=1&offset=1`);
    expect(second.body).toMatchObject({ limit: 1, offset: 1, total_count: 3, sessions: [{ id: tides.id }] });

    expect((await call('DELETE', at(pipeline, `chat-sessions/${tides.id}`))).status).toBe(204);
    expect((await call('GET', at(pipeline, `chat-sessions/${tides.id}`))).status).toBe(404);
    const body = { messages: [{ role: 'user', content: 'Gone?' }], session_id: tides.id };
    expect((await call('POST', at(pipeline, 'chat'), { body })).status).toBe(404);
  });

  it('the playground session is empty after it is deleted', async () => {
    const pipeline = await createPipeline();
    await ask(pipeline, 'Which one?');
    const forget = () => call('DELETE', at(pipeline, 'playground-session'));
    expect((await forget()).status).toBe(204);
    expect((await forget()).status).toBe(204);
    expect((await call<Session>('GET', at(pipeline, 'playground-session'))).body.chat_messages).toEqual([]);
  });

  it('are hidden from other tenants and pipelines, and reject invalid names', async () => {
    const pipeline = await createPipeline();
    const { id } = await create(pipeline, 'Mine');
    const { key } = await createTenant();
    expect((await call('GET', at(pipeline), { key })).status).toBe(404);
    expect((await call('GET', at(await createPipeline(), `chat-sessions/${id}`))).status).toBe(404);
    for (const name of ['', 'n'.repeat(201), 7]) {
      expect((await call('POST', at(pipeline), { body: { name } })).status).toBe(422);
    }
  });

  it('are limited in number', async () => {
    const pipeline = await createPipeline();
    const one = await create(pipeline);
    const rows = Array.from({ length: MAX_SESSIONS - 1 }, () => ({
      ...{ id: crypto.randomUUID(), pipelineId: pipeline, userId: one.user_id },
      ...{ llmParamsId: 'x', retrievalParamsId: 'x' },
    }));
    const db = openDatabase(env.DB);
    for (const from of rows.keys()) {
      if (from % 10 === 0) await db.insert(chatSessions).values(rows.slice(from, from + 10));
    }
    expect((await call('POST', at(pipeline), { body: {} })).status).toBe(409);
  });
});

describe('messages of a session', () => {
  it('are all stored when many are added concurrently', async () => {
    const pipeline = await createPipeline();
    const { id } = await create(pipeline);
    const questions = Array.from({ length: 12 }, (_, number) => `Question ${number}?`);
    await Promise.all(questions.map((content) => ask(pipeline, content, { session_id: id })));
    const session = await read(pipeline, id);
    expect(saidIn(session).toSorted()).toEqual(questions.toSorted());
    expect(session.chat_messages).toHaveLength(24);
    expect(session.chat_messages.map(({ index }) => index)).toEqual([...Array(24).keys()]);
  });

  it('are stored once per client id, and a new answer replaces the old one', async () => {
    const pipeline = await createPipeline();
    const { id } = await create(pipeline);
    const same = { session_id: id };
    await ask(pipeline, 'How high?', same, 'm1');
    await ask(pipeline, 'And when?', same, 'm2');
    const before = await read(pipeline, id);
    await Promise.all([1, 2, 3].map(() => ask(pipeline, 'How high now?', same, 'm1')));
    const after = await read(pipeline, id);
    expect(after.chat_messages.map(({ index, role }) => [index, role])).toEqual([
      [0, 'user'],
      [1, 'assistant'],
      [2, 'user'],
      [3, 'assistant'],
    ]);
    expect(saidIn(after)).toEqual(['How high now?', 'And when?']);
    expect(after.chat_messages[0]!.additional_kwargs).toEqual({ client_id: 'm1' });
    const listMessageIds = ({ chat_messages }: Session) => chat_messages.map((message) => message.id);
    const [question, answer, ...rest] = listMessageIds(after);
    expect([question, ...rest]).toEqual([listMessageIds(before)[0], ...listMessageIds(before).slice(2)]);
    expect(answer).not.toBe(listMessageIds(before)[1]);
  });

  it('keep only the newest ones', async () => {
    const pipeline = await createPipeline();
    const { id: sessionId } = await create(pipeline);
    const ctx = createContext(env as never, { waitUntil() {} });
    await ctx.db.insert(chatMessages).values({
      ...{ id: crypto.randomUUID(), sessionId, role: 'user', content: 'old', position: 0 },
    });
    await ctx.db.insert(chatMessages).values({
      ...{ id: crypto.randomUUID(), sessionId, role: 'user', content: 'new' },
      position: MAX_STORED_MESSAGES - 1,
    });
    const question = { clientId: undefined, role: 'user', llm: null, retrieval: null };
    await storeQuestion(ctx, { ...question, sessionId, content: 'newest' });
    expect(saidIn(await read(pipeline, sessionId))).toEqual(['new', 'newest']);
  });
});

describe('a finished answer', () => {
  it('can be read again only by the caller, in either protocol, until its session is deleted', async () => {
    const pipeline = await createPipeline();
    const { id } = await create(pipeline);
    await ask(pipeline, 'How high?', { session_id: id, id: 'a chat' });
    const path = at(pipeline, 'chat/a%20chat/stream');
    const again = await call<string>('GET', path);
    expect(again.body).toMatch(/^data: .*"type":"start".*data: \[DONE\]\n\n$/s);
    const lines = await call<string>('GET', path, { headers: { accept: 'text/plain' } });
    expect(lines.headers.get('x-vercel-ai-data-stream')).toBe('v1');
    expect(lines.body).toMatch(/^f:\{"messageId":/);
    expect((await call('GET', at(pipeline, 'chat/another/stream'))).status).toBe(204);
    expect((await call('GET', path, { key: (await createTenant()).key })).status).toBe(404);
    expect((await call('GET', path, { key: null })).status).toBe(401);
    expect((await call('DELETE', path)).status).toBe(204);
    await call('DELETE', at(pipeline, `chat-sessions/${id}`));
    expect((await call('GET', path)).status).toBe(204);
    expect(await openDatabase(env.DB).select().from(chatStreams)).not.toContainEqual(
      expect.objectContaining({ sessionId: id }),
    );
  });
});
