import { env } from 'cloudflare:workers';
import { ConflictError, NotFoundError, UnprocessableEntityError } from '@llamaindex/llama-cloud';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MODEL_SETTINGS, ModelEndpoint } from '#test/api/openai/model-endpoint.ts';
import { call } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { fetchService } from '#test/support/fetch-service.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';
import { indexFiles } from './index-files.ts';

interface Event {
  type: string;
  content?: string;
  result?: { results: { citation: number; content: string; file_id: string; index_id: string }[] };
  citations?: { citation: number }[];
  is_error?: boolean;
  error?: string | null;
  usage?: { duration_ms: number; turns: number };
}

type Client = ReturnType<typeof createNpmClients>['client'];
let key: string;
let client: Client;
let bells: { pipelineId: string; fileIds: string[] };
let ferries: typeof bells;

beforeAll(async () => {
  ({ key } = await createTenant());
  ({ client } = createNpmClients(key));
  bells = await indexFiles(key, { 'bells.md': ['The harbour bell rings at nine in the evening.\n', {}] });
  ferries = await indexFiles(key, { 'ferries.md': ['The island ferry leaves from berth 7.\n', {}] });
});

const parse = (text: unknown): Event[] =>
  String(text)
    .split('\n\n')
    .filter((each) => each.startsWith('data: '))
    .map((each) => JSON.parse(each.slice('data: '.length)) as Event);
const ask = async (session: string, index_ids: string[], prompt: string) =>
  parse(await client.beta.chat.stream(session, { index_ids, prompt }));
const typesIn = (events: { type?: string }[]) => events.map(({ type }) => type);

describe('a session over indexes', () => {
  it('streams an answer with its search and its citations, and keeps it', async () => {
    const index_ids = [bells.pipelineId];
    const created = await client.beta.chat.create({ index_ids });
    expect(created).toMatchObject({ index_ids, generated_title: null, job_metadata: null });
    const prompt = 'When does the harbour bell ring?';
    const events = await ask(created.session_id, index_ids, prompt);
    expect(typesIn(events.filter(({ type }) => type !== 'text_delta'))).toEqual([
      'user_input',
      'tool_call',
      'tool_result',
      'text',
      'stop',
    ]);
    const deltas = events.filter(({ type }) => type === 'text_delta').map(({ content }) => content);
    const text = events.find(({ type }) => type === 'text')!;
    expect(text.content).toBe(deltas.join(''));
    expect(text.content).toContain('nine in the evening');
    const cited = text.citations![0]!.citation;
    const [passage] = events
      .flatMap(({ result }) => result?.results ?? [])
      .filter(({ citation }) => citation === cited);
    expect(passage).toMatchObject({
      file_id: bells.fileIds[0],
      index_id: bells.pipelineId,
      file_name: 'bells.md',
    });
    expect(text.content).toContain(`[${cited}]`);
    const { usage, ...end } = events.at(-1)!;
    expect(end).toEqual({ type: 'stop', is_error: false, error: null });
    expect(usage!.turns).toBe(1);

    const kept = await client.beta.chat.retrieve(created.session_id);
    expect(kept.events).toEqual(events.filter(({ type }) => type !== 'text_delta'));
    expect(kept).toMatchObject({
      generated_title: prompt,
      job_metadata: { is_error: false, turns: 1, export_config_ids: index_ids },
    });
    const { events: _, ...summary } = kept;
    expect(await client.beta.chat.getSummary(created.session_id)).toEqual(summary);
  });

  it('searches several indexes together, and other ones for each question of an unbound session', async () => {
    const { session_id, index_ids: bound } = await client.beta.chat.create();
    expect(bound).toBeNull();
    const both = await ask(
      session_id,
      [bells.pipelineId, ferries.pipelineId],
      'Which berth has the island ferry?',
    );
    expect(both.find(({ type }) => type === 'text')?.content).toContain('berth 7');
    const found = both.flatMap(({ result }) => result?.results ?? []);
    expect(new Set(found.map(({ index_id }) => index_id))).toContain(ferries.pipelineId);
    const one = await ask(session_id, [bells.pipelineId], 'When does the bell ring?');
    expect(one.flatMap(({ result }) => result?.results ?? []).map(({ index_id }) => index_id)).not.toContain(
      ferries.pipelineId,
    );
    const kept = await client.beta.chat.retrieve(session_id);
    expect(kept.index_ids).toBeNull();
    expect(kept.events.filter(({ type }) => type === 'user_input')).toHaveLength(2);
  });

  it('can choose other indexes until its first question', async () => {
    const { session_id } = await client.beta.chat.create({ index_ids: [bells.pipelineId] });
    await ask(session_id, [ferries.pipelineId], 'Where is the ferry?');
    expect((await client.beta.chat.getSummary(session_id)).index_ids).toEqual([ferries.pipelineId]);
    await ask(session_id, [], 'And the island?');
    const other = client.beta.chat.stream(session_id, {
      index_ids: [bells.pipelineId],
      prompt: 'And the bell?',
    });
    await expect(other).rejects.toThrow(ConflictError);
    await expect(other).rejects.toThrow('Create another session');
  });

  it('is in the export of its user', async () => {
    const tenant = await createTenant();
    const own = createNpmClients(tenant.key).client;
    const { pipelineId } = await indexFiles(tenant.key, { 'note.md': ['The mast is red.\n', {}] });
    const { session_id } = await own.beta.chat.create();
    const prompt = 'Which colour has the mast?';
    await own.beta.chat.stream(session_id, { index_ids: [pipelineId], prompt });
    const path = `/api/v1/users/${tenant.userId}/export?organization_id=${tenant.organizationId}`;
    const archive = await (await fetchService('GET', path, { key: tenant.key })).text();
    expect(archive).toContain(`session_chats/${tenant.projectId}/turns.ndjson`);
    expect(archive).toContain(prompt);
  });

  it('is listed in pages and deleted', async () => {
    const own = createNpmClients((await createTenant()).key).client;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await own.beta.chat.create({})).session_id);
    const listed: string[] = [];
    for await (const each of own.beta.chat.list({ page_size: 2 })) listed.push(each.session_id);
    expect(listed).toEqual(ids.toReversed());
    await own.beta.chat.delete(ids[0]!);
    await expect(own.beta.chat.retrieve(ids[0]!)).rejects.toThrow(NotFoundError);
  });

  it('refuses questions without an index or a text', async () => {
    const { session_id } = await client.beta.chat.create();
    for (const wrong of [
      { index_ids: [], prompt: 'Where?' },
      { index_ids: [bells.pipelineId], prompt: '  ' },
    ]) {
      await expect(client.beta.chat.stream(session_id, wrong)).rejects.toThrow(UnprocessableEntityError);
    }
    const missing = { index_ids: [crypto.randomUUID()], prompt: 'Where?' };
    await expect(client.beta.chat.stream(session_id, missing)).rejects.toThrow(NotFoundError);
  });
});

it('a deleted index takes the answers along that may quote it', async () => {
  const gone = await indexFiles(key, { 'secret.md': ['The vault code is 4711.\n', {}] });
  const bound = await client.beta.chat.create({ index_ids: [gone.pipelineId] });
  const { session_id } = await client.beta.chat.create();
  await ask(session_id, [bells.pipelineId], 'When does the bell ring?');
  await ask(session_id, [gone.pipelineId, bells.pipelineId], 'What is the vault code?');
  expect((await client.beta.chat.retrieve(session_id)).events).toContainEqual(
    expect.objectContaining({ type: 'text', content: expect.stringContaining('4711') }),
  );
  const path = `/api/v1/pipelines/${gone.pipelineId}/force-delete`;
  expect((await call('POST', path, { key })).status).toBeLessThan(300);
  for (let waited = 0; ; waited += 50) {
    const { events } = await client.beta.chat.retrieve(session_id);
    if (!JSON.stringify(events).includes('4711')) break;
    if (waited > PATIENCE_MS) throw new Error('the answer was not deleted');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { events } = await client.beta.chat.retrieve(session_id);
  expect(events.filter(({ type }) => type === 'user_input')).toHaveLength(1);
  await expect(client.beta.chat.retrieve(bound.session_id)).rejects.toThrow(NotFoundError);
});

describe('while an index is being deleted', () => {
  afterEach(() => void vi.restoreAllMocks());

  const setStatus = (id: string, status: string) =>
    env.DB.prepare('update pipelines set status = ? where id = ?').bind(status, id).run();
  const listPrompts = async (session: string) =>
    (await client.beta.chat.retrieve(session)).events
      .filter(({ type }) => type === 'user_input')
      .map((event) => (event as { content?: string }).content);

  it('its answers are not shown, nor those that may repeat them', async () => {
    const index = await indexFiles(key, { 'vault.md': ['The vault code is 4711.\n', {}] });
    const { session_id } = await client.beta.chat.create();
    await ask(session_id, [bells.pipelineId], 'When does the bell ring?');
    await ask(session_id, [index.pipelineId], 'What is the vault code?');
    await ask(session_id, [bells.pipelineId], 'And what did I ask before?');
    expect(await listPrompts(session_id)).toHaveLength(3);
    await setStatus(index.pipelineId, 'DELETING');
    expect(await listPrompts(session_id)).toEqual(['When does the bell ring?']);
  });

  it('an answer that is written meanwhile is not stored', async () => {
    const index = await indexFiles(key, { 'vault.md': ['The vault code is 4711.\n', {}] });
    const { session_id } = await client.beta.chat.create();
    const endpoint = new ModelEndpoint().listen();
    const service = clientOf(key, MODEL_SETTINGS);
    const askModel = (prompt: string) =>
      service<string>('POST', `/compat/api/v1/chat/${session_id}/messages/stream`, {
        index_ids: [index.pipelineId],
        prompt,
      });
    endpoint.reply = () => ({ text: 'It is 4711. [1]' });
    expect((await askModel('What is the vault code?')).body).toContain('4711');
    endpoint.reply = async () => {
      await setStatus(index.pipelineId, 'DELETING');
      return { text: 'It is still 4711. [1]' };
    };
    expect((await askModel('What is the code now?')).body).toContain('still 4711');
    await setStatus(index.pipelineId, 'CREATED');
    expect(await listPrompts(session_id)).toEqual(['What is the vault code?']);
  });
});
