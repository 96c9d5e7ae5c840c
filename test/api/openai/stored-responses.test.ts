import { env } from 'cloudflare:workers';
import type OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';
import { createClient } from './client.ts';

const openai = createClient();
const QUESTION = 'When was the Corran bridge opened?';
const MISSING = { status: 404, code: 'not_found' };
let pipelineId: string;
let model: string;

async function createCorpus(content: string) {
  const id = await createPipeline();
  const [fileId = ''] = await addFiles(id, { 'corran.txt': content });
  await sync(id);
  return { id, fileId };
}

beforeAll(async () => {
  pipelineId = (await createCorpus('The Corran bridge was opened in 1893.')).id;
  model = `pipeline-${pipelineId}`;
});

const ask = (more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {}) =>
  openai.responses.create({ model, input: QUESTION, store: true, ...more });

async function listItems(id: string) {
  const items: OpenAI.Responses.ResponseItem[] = [];
  for await (const item of openai.responses.inputItems.list(id, { order: 'asc', limit: 1 })) items.push(item);
  return items;
}

describe('a stored response', () => {
  it('is read, listed with its input, and deleted', async () => {
    const created = await ask({ metadata: { from: 'test' } });
    expect(created.output_text).toContain('1893');
    const { output_text: _, ...stored } = created;
    expect(await openai.responses.retrieve(created.id)).toMatchObject({ ...stored, store: true });
    expect(await listItems(created.id)).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] },
    ]);
    await openai.responses.delete(created.id);
    await expect(openai.responses.retrieve(created.id)).rejects.toMatchObject(MISSING);
    await expect(openai.responses.inputItems.list(created.id)).rejects.toMatchObject(MISSING);
  });

  it('is continued after items of other types, which may have a role and any content', async () => {
    const reasoning = [
      { type: 'reasoning', role: 'assistant', content: [{ type: 'reasoning_text', text: 'hmm' }, null] },
      { type: 'reasoning', role: 'assistant', content: 'hmm' },
    ];
    const input = [...reasoning, { role: 'user', content: QUESTION }] as never;
    const { id: previous_response_id } = await ask({ input });
    expect(await listItems(previous_response_id)).toMatchObject([
      ...reasoning,
      { type: 'message', content: [{ type: 'input_text', text: QUESTION }] },
    ]);
    expect((await ask({ previous_response_id })).output_text).toContain('1893');
  });

  it('is stored only on request, also if it is streamed', async () => {
    const unstored = await openai.responses.create({ model, input: QUESTION });
    expect(unstored).toMatchObject({ store: false });
    await expect(openai.responses.retrieve(unstored.id)).rejects.toMatchObject(MISSING);
    const streamed = await openai.responses.stream({ model, input: QUESTION, store: true }).finalResponse();
    expect((await openai.responses.retrieve(streamed.id)).output).toEqual(
      JSON.parse(JSON.stringify(streamed.output)).map((item: { content: { parsed?: unknown }[] }) => ({
        ...item,
        content: item.content.map(({ parsed: _, ...part }) => part),
      })),
    );
  });

  it('is continued, also after the response before it was deleted', async () => {
    const first = await ask({ input: [{ role: 'user', content: 'Tell me about the Corran bridge.' }] });
    const second = await ask({ input: 'When was it opened?', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.output_text).toContain('1893');
    await openai.responses.delete(first.id);
    const items = await listItems(second.id);
    expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    const third = await ask({ input: 'Which bridge was that?', previous_response_id: second.id });
    expect(await listItems(third.id)).toHaveLength(5);
    await expect(ask({ previous_response_id: first.id })).rejects.toMatchObject(MISSING);
  });

  it('is gone with the document that it quotes, and so is what continues it', async () => {
    const { id, fileId } = await createCorpus('The Ness bridge was opened in 1961.');
    const other = `pipeline-${id}`;
    const first = await ask({ model: other, input: 'When was the Ness bridge opened?' });
    expect(first.output_text).toContain('1961');
    const second = await ask({ input: QUESTION, previous_response_id: first.id });
    expect((await openai.responses.retrieve(second.id)).id).toBe(second.id);
    await openai.files.delete(fileId);
    for (const response of [first, second]) {
      await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject(MISSING);
      await expect(ask({ previous_response_id: response.id })).rejects.toMatchObject(MISSING);
    }
    const left = await env.DB.prepare('select count(*) as n from stored_responses where id in (?, ?)')
      .bind(first.id.slice(5), second.id.slice(5))
      .first('n');
    expect(left).toBe(0);
  });

  it('belongs to the user who asked', async () => {
    const { id } = await ask();
    const stranger = createClient({}, (await createTenant()).key);
    await expect(stranger.responses.retrieve(id)).rejects.toMatchObject(MISSING);
    await expect(stranger.responses.delete(id)).rejects.toMatchObject(MISSING);
    await expect(stranger.responses.inputItems.list(id)).rejects.toMatchObject(MISSING);
  });
});

describe('the tool file_search', () => {
  it('names the vector store that is searched, with filters', async () => {
    const tool = { type: 'file_search' as const, vector_store_ids: [pipelineId] };
    const answer = await openai.responses.create({ model: 'any-name', input: QUESTION, tools: [tool] });
    expect(answer.output_text).toContain('1893');
    expect(answer.model).toBe('any-name');
    const none = { type: 'eq' as const, key: 'kind', value: 'none' };
    const filtered = await openai.responses.create({
      model: 'any-name',
      input: QUESTION,
      tools: [{ ...tool, filters: none }],
    });
    expect(filtered.output_text).not.toContain('1893');
  });

  it('names several vector stores, which are searched together', async () => {
    const other = await createCorpus('The Ardgour ferry carries twelve cars.');
    const tool = { type: 'file_search' as const, vector_store_ids: [pipelineId, other.id] };
    const both = 'When was the Corran bridge opened, and how many cars does the Ardgour ferry carry?';
    const answer = await ask({ model: 'any-name', input: both, tools: [tool] });
    expect(answer.output_text).toContain('1893');
    expect(answer.output_text).toContain('twelve');
    const cited = JSON.stringify(answer.output);
    expect(cited).toContain(other.fileId);

    expect((await openai.responses.retrieve(answer.id)).output_text).toBe(answer.output_text);
    const continued = await ask({ previous_response_id: answer.id, input: QUESTION });
    expect(continued.output_text).toContain('1893');
    await openai.vectorStores.delete(other.id);
    await expect(openai.responses.retrieve(answer.id)).rejects.toMatchObject(MISSING);
  });

  it('searches only vector stores of one project, which the caller can reach', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const created = async (query = '') => {
      const body = { name: crypto.randomUUID() };
      return (await call<{ id: string }>('POST', `/api/v1/pipelines${query}`, { key, body })).body.id;
    };
    const second = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Second' } });
    const [own, sibling] = [await created(), await created(`?project_id=${second.body.id}`)];
    const narrow = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { scopes: ['retrieve'], project_id: tenant.projectId },
    });
    const search = async (ids: string[], asking = key) => {
      const tools = [{ type: 'file_search', vector_store_ids: ids }];
      const body = { model: 'any-name', input: QUESTION, tools };
      return (await call('POST', '/openai/v1/responses', { key: asking, body })).status;
    };
    expect(await search([own, own])).toBe(200);
    expect(await search([own, sibling])).toBe(400);
    expect(await search([own, pipelineId])).toBe(404);
    expect(await search([own, sibling], narrow.body.redacted_api_key)).toBe(404);
  });

  it('does not reach the vector stores of others', async () => {
    const { key } = await createTenant();
    const tools = [{ type: 'file_search', vector_store_ids: [pipelineId] }];
    const body = { model: 'any-name', input: QUESTION, tools };
    expect((await call('POST', '/openai/v1/responses', { key, body })).status).toBe(404);
  });
});
