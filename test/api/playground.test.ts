import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Session {
  id: string;
  pipeline_id: string;
  llm_params: Record<string, unknown> | null;
  retrieval_params: Record<string, unknown> | null;
  chat_messages: {
    index: number;
    role: string;
    content: string;
    annotations: { type: string; data: string }[];
  }[];
}

const getSession = (pipeline: string, key?: string) =>
  call<Session>('GET', `/api/v1/pipelines/${pipeline}/playground-session`, { ...(key && { key }) });

describe('the playground session', () => {
  it('is unique per user and pipeline, and stores messages and parameters', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'bridge.txt': 'The Corran bridge was opened in 1893 by the county surveyor.' });
    await sync(id);
    const first = await getSession(id);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ pipeline_id: id, llm_params: null, chat_messages: [] });
    for (const content of ['When was the Corran bridge opened?', 'By whom?']) {
      const answer = await call<string>('POST', `/api/v1/pipelines/${id}/chat`, {
        body: {
          messages: [{ role: 'user', content }],
          data: { llm_parameters: { temperature: 0.4 }, retrieval_parameters: { rerank_top_n: 2 } },
        },
      });
      expect(answer.status).toBe(200);
    }
    const { body } = await getSession(id);
    expect(body.id).toBe(first.body.id);
    expect(body.llm_params).toEqual({ temperature: 0.4 });
    expect(body.retrieval_params).toEqual({ rerank_top_n: 2 });
    expect(body.chat_messages.map(({ index, role }) => [index, role])).toEqual([
      [0, 'user'],
      [1, 'assistant'],
      [2, 'user'],
      [3, 'assistant'],
    ]);
    expect(body.chat_messages[1]!.content).toContain('1893');
    const { nodes } = JSON.parse(body.chat_messages[1]!.annotations[0]!.data);
    expect(nodes[0]).toMatchObject({ title: 'bridge.txt' });
  });

  it('rejects chats without a question or with a too long one, missing keys and other tenants', async () => {
    const id = await createPipeline();
    const chat = `/api/v1/pipelines/${id}/chat`;
    const body = { messages: [{ role: 'assistant', content: 'hello' }] };
    expect((await call('POST', chat, { body })).status).toBe(422);
    const long = { messages: [{ role: 'user', content: 'x'.repeat(20_001) }] };
    expect((await call('POST', chat, { body: long })).status).toBe(422);
    expect((await getSession(id)).body.chat_messages).toEqual([]);
    const { key } = await createTenant();
    expect((await getSession(id, key)).status).toBe(404);
    expect((await call('POST', chat, { body, key })).status).toBe(404);
    expect((await call('GET', `/api/v1/pipelines/${id}/playground-session`, { key: null })).status).toBe(401);
  });
});
