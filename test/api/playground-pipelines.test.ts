import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { call, upload } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

async function ferries(): Promise<string> {
  const id = await createPipeline();
  await addFiles(id, {
    'corran.txt': 'The Corran ferry carries nine cars.',
    'ardgour.txt': 'The Ardgour ferry carries two cars.',
  });
  await sync(id);
  return id;
}

const createPlayground = (managed_pipeline_id: string, more: object = {}) =>
  createPipeline({ pipeline_type: 'PLAYGROUND', managed_pipeline_id, ...more });

describe('a playground pipeline', () => {
  it('answers from its managed pipeline, with separate parameters and conversations', async () => {
    const managed = await ferries();
    const preset = { enable_reranking: true, rerank_top_n: 1 };
    const id = await createPlayground(managed, { preset_retrieval_parameters: preset });
    const nodes = await retrieve(id, 'How many cars does the ferry carry?');
    expect(nodes).toHaveLength(1);
    expect(nodes[0]!.node.extra_info.pipeline_id).toBe(managed);
    expect(await retrieve(managed, 'How many cars does the ferry carry?')).toHaveLength(2);

    const body = { messages: [{ role: 'user', content: 'How many cars does the Corran ferry carry?' }] };
    const chat = await call<string>('POST', `/api/v1/pipelines/${id}/chat`, { body });
    expect(chat.body).toContain('nine cars');
    const messages = async (pipeline: string) =>
      (await call<{ chat_messages: object[] }>('GET', `/api/v1/pipelines/${pipeline}/playground-session`))
        .body.chat_messages;
    expect(await messages(id)).toHaveLength(2);
    expect(await messages(managed)).toHaveLength(0);

    const retriever = await call<{ nodes: { node: { text: string } }[] }>(
      'POST',
      '/api/v1/retrievers/retrieve',
      {
        body: { query: 'Corran', pipelines: [{ name: 'p', description: 'd', pipeline_id: id }] },
      },
    );
    expect(retriever.body.nodes[0]!.node.text).toContain('Corran');
  });

  it('rejects documents, and names the managed pipeline', async () => {
    const managed = await createPipeline();
    const id = await createPlayground(managed);
    const file_id = await upload('note.txt', 'A note.');
    const document = { id: 'one', text: 'A note.', metadata: {} };
    for (const [method, path, body] of [
      ['PUT', 'files', [{ file_id }]],
      ['POST', 'documents', [document]],
      ['PUT', 'documents', [document]],
      ['PUT', 'data-sources', []],
      ['POST', 'sync', undefined],
    ] as const) {
      const answer = await call<{ detail: string }>(method, `/api/v1/pipelines/${id}/${path}`, {
        ...(body && { body }),
      });
      expect([path, answer.status]).toEqual([path, 409]);
      expect(answer.body.detail).toContain(managed);
    }
  });

  it('answers 409 without its managed pipeline, or if the key does not reach that pipeline', async () => {
    const managed = await ferries();
    const id = await createPlayground(managed);
    const project = (await call<{ project_id: string }>('GET', `/api/v1/pipelines/${id}`)).body.project_id;
    const ask = async (key?: string) => {
      const answer = await call<{ detail: string }>('POST', `/api/v1/pipelines/${id}/retrieve`, {
        body: { query: 'cars' },
        ...(key && { key }),
      });
      return answer.status;
    };
    expect(await ask()).toBe(200);
    const keyFor = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      body: { name: 'scoped', project_id: project },
    });
    expect(await ask(keyFor.body.redacted_api_key)).toBe(200);
    const elsewhere = await call<{ id: string }>('POST', '/api/v1/projects', {
      body: { name: `elsewhere ${crypto.randomUUID()}` },
    });
    await openDatabase(env.DB)
      .update(pipelines)
      .set({ projectId: elsewhere.body.id })
      .where(eq(pipelines.id, managed));
    expect(await ask()).toBe(200);
    expect(await ask(keyFor.body.redacted_api_key)).toBe(409);

    expect(await ask((await createTenant()).key)).toBe(404);
    await call('POST', `/api/v1/pipelines/${managed}/force-delete`);
    expect(await ask()).toBe(409);
    const body = { messages: [{ role: 'user', content: 'Cars?' }] };
    expect((await call('POST', `/api/v1/pipelines/${id}/chat`, { body })).status).toBe(409);
  });

  it('cannot refer to another playground, and has its own documents again as a managed pipeline', async () => {
    const own = await ferries();
    const managed = await createPipeline();
    const nested = await call('POST', '/api/v1/pipelines', {
      body: { name: crypto.randomUUID(), managed_pipeline_id: await createPlayground(managed) },
    });
    expect(nested.status).toBe(422);
    const change = (pipeline_type: string) =>
      call('PUT', `/api/v1/pipelines/${own}`, { body: { pipeline_type, managed_pipeline_id: managed } });
    await change('PLAYGROUND');
    expect(await retrieve(own, 'cars')).toHaveLength(0);
    await change('MANAGED');
    expect(await retrieve(own, 'cars')).toHaveLength(2);
  });
});
