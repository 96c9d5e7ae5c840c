import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members, type Role, users } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { clientOf } from '#test/support/configured.ts';
import type { QuestionBody } from '#test/support/evaluations.ts';
import { type Client, chat, createIndexed, QUESTION, type Tenant, traced, until } from './tracing.ts';

const SETS = '/api/v1/evaluations/question-sets';
const NONE = { no_text: 0, no_citation: 0, changed_passage: 0, already_in_set: 0 };
const db = openDatabase(env.DB);

interface Collected {
  added_count: number;
  skipped: typeof NONE;
  next_page_token: string | null;
}

async function join({ organizationId }: Tenant, role: Role): Promise<Client> {
  const userId = crypto.randomUUID();
  const key = `slc_${crypto.randomUUID()}`;
  await db.batch([
    db.insert(users).values({ id: userId }),
    db.insert(members).values({ organizationId, userId, name: role, role }),
    db.insert(apiKeys).values({
      ...{ id: crypto.randomUUID(), organizationId, userId, keyType: 'user', redacted: 'slc_…' },
      hash: await sha256(key),
    }),
  ]);
  return clientOf(key, {});
}

async function createSet(client: Client): Promise<string> {
  return (await client<{ id: string }>('POST', SETS, { name: crypto.randomUUID() })).body.id;
}

async function collect(client: Client, setId: string, body: object = {}): Promise<Collected> {
  const answer = await client<Collected>('POST', `${SETS}/${setId}/collect`, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const listQuestions = async (client: Client, setId: string) =>
  (await client<{ items: QuestionBody[] }>('GET', `${SETS}/${setId}/questions`)).body.items;

const rate = (client: Client, id: string, rating: 'up' | 'down' = 'up') =>
  client('PUT', `/api/v1/traces/${id}/feedback`, { rating });

/** Chats and waits until the answer can be rated. */
async function chatAndRate(client: Client, pipeline: string, rating?: 'up' | 'down', question = QUESTION) {
  const { messageId } = await chat(client, pipeline, question);
  await until('the answer is rated', async () =>
    (await rate(client, messageId, rating)).status === 200 ? true : undefined,
  );
  return messageId;
}

describe('questions collected from rated answers', () => {
  it('expect the cited sentence, and are collected once', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    await chatAndRate(client, pipeline);
    await chatAndRate(client, pipeline, 'down', 'Where do owls nest?');
    const setId = await createSet(client);
    expect(await collect(client, setId)).toEqual({ added_count: 1, skipped: NONE, next_page_token: null });
    const [question, ...others] = await listQuestions(client, setId);
    expect(others).toEqual([]);
    expect(question).toMatchObject({
      text: QUESTION,
      origin: 'collected',
      expected_passages: [{ text: 'Gulls nest on the roofs of the town hall.', document_id: 'gulls' }],
    });
    expect(await collect(client, setId)).toMatchObject({ added_count: 0, skipped: NONE });
    // Another answer to the same question is left out.
    await chatAndRate(client, pipeline);
    expect(await collect(client, setId)).toMatchObject({
      added_count: 0,
      skipped: { ...NONE, already_in_set: 1 },
    });
  });

  it('come from own sessions without recorded texts, and never from those of others', async () => {
    const { client, pipeline, tenant } = await traced({ sample_rate: 1 });
    const member = await join(tenant, 'member');
    await chatAndRate(member, pipeline);
    const setId = await createSet(client);
    expect(await collect(client, setId)).toMatchObject({ added_count: 0, skipped: { ...NONE, no_text: 1 } });
    expect(await collect(member, setId)).toMatchObject({ added_count: 1, skipped: NONE });
    expect(await listQuestions(client, setId)).toMatchObject([
      { text: QUESTION, expected_passages: [{ text: 'Gulls nest on the roofs of the town hall.' }] },
    ]);
    // A member who is no admin sees no answers of others.
    const colleague = await join(tenant, 'member');
    const other = await createSet(client);
    expect(await collect(colleague, other)).toMatchObject({ added_count: 0, skipped: NONE });
    const viewer = await join(tenant, 'viewer');
    expect((await viewer('POST', `${SETS}/${other}/collect`, {})).status).toBe(403);
  });

  it('leave out answers whose passages were changed', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    await chatAndRate(client, pipeline);
    const changed = [{ id: 'gulls', text: 'Gulls moved to the lighthouse.', metadata: {} }];
    expect((await client('PUT', `/api/v1/pipelines/${pipeline}/documents`, changed)).status).toBe(200);
    await until('the document is indexed', async () => {
      const found = await client<{ retrieval_nodes: { node: { text: string } }[] }>(
        'POST',
        `/api/v1/pipelines/${pipeline}/retrieve`,
        { query: 'gulls' },
      );
      return found.body.retrieval_nodes.some(({ node }) => node.text.includes('lighthouse')) || undefined;
    });
    const setId = await createSet(client);
    expect(await collect(client, setId)).toMatchObject({
      added_count: 0,
      skipped: { ...NONE, changed_passage: 1 },
    });
  });

  it('are restricted to a pipeline, to the project and to pages', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    const second = await createIndexed(client);
    const rated = await chatAndRate(client, pipeline);
    const setId = await createSet(client);
    expect(await collect(client, setId, { pipeline_id: second })).toMatchObject({ added_count: 0 });
    const stranger = (await traced({})).client;
    expect(await collect(stranger, await createSet(stranger))).toMatchObject({
      added_count: 0,
      skipped: NONE,
    });
    expect((await stranger('POST', `${SETS}/${setId}/collect`, {})).status).toBe(404);
    // Copies of the answer fill the first page.
    const columns = `project_id, kind, pipeline_id, user_id, question, is_refused, details, rating, created_at`;
    const copies = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
      insert into traces (id, ${columns}) select ?1 || i, ${columns} from traces, n where traces.id = ?1`;
    await env.DB.prepare(copies).bind(rated).run();
    const first = await collect(client, setId);
    expect(first).toMatchObject({ added_count: 1, skipped: { ...NONE, already_in_set: 49 } });
    const rest = await collect(client, setId, { page_token: first.next_page_token });
    expect(rest).toMatchObject({ added_count: 0, skipped: { already_in_set: 1 }, next_page_token: null });
    expect((await client('POST', `${SETS}/${setId}/collect`, { page_token: 'x' })).status).toBe(422);
  });
});
