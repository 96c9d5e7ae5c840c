import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, statusOf, sync } from '#test/support/pipelines.ts';

/** A free-form component that no driver can open. */
const FREE_FORM = { name: 'vectors', sink_type: 'VENDOR_G', component: { anything: 'x' } };
const REASON = 'does not match the data sink type VENDOR_G';

describe('a data sink that cannot be written to', () => {
  it('fails the sync with the reason, and is not replaced by another store', async () => {
    const { body } = await call<{ id: string }>('POST', '/api/v1/data-sinks', { body: FREE_FORM });
    const id = await createPipeline({ data_sink_id: body.id });
    await addFiles(id, { 'note.txt': 'The note speaks of marzipan.' });
    const status = await sync(id);
    expect(status.status).toBe('ERROR');
    expect(JSON.stringify(status.error)).toContain(REASON);
    const asked = await ask(id);
    expect([asked.status, asked.body.detail]).toEqual([409, expect.stringContaining(REASON)]);
  });
});

interface Failed {
  detail: string;
  status: string;
  error: { message: string }[];
  metadata: { pipelines: Record<string, Record<string, string>> };
}
const ask = (id: string) =>
  call<Failed>('POST', `/api/v1/pipelines/${id}/retrieve`, { body: { query: 'marzipan' } });

describe('a pipeline that cannot answer', () => {
  const sink = { data_sink: FREE_FORM };
  // The component lacks the endpoint of the deployment.
  const component = { cloud_deployment: 'd' };
  const model = { embedding_config: { type: 'PROVIDER_A_EMBEDDING', component } };

  it.each([
    ['data_sink_id', sink, REASON],
    ['embedding_config', model, 'PROVIDER_A_EMBEDDING.*cloud_endpoint'],
  ])('reports its %s and the reason in its status before any sync', async (field, config, reason) => {
    const id = await createPipeline(config);
    const problems = [{ field, message: expect.stringMatching(reason) }];
    expect(await statusOf(id)).toMatchObject({ status: 'NOT_STARTED', error: null, problems });
  });

  it('reports the shared config, and nothing once the config is replaced', async () => {
    const { type, component } = model.embedding_config;
    const shared = await call<{ id: string }>('POST', '/api/v1/embedding-model-configs', {
      body: { name: 'shared', embedding_config: { type, component } },
    });
    const id = await createPipeline({ embedding_model_config_id: shared.body.id });
    const [problem] = (await statusOf(id)).problems ?? [];
    expect(problem?.field).toBe('embedding_model_config_id');
    const body = { embedding_config: { type: 'PROVIDER_F_EMBEDDING', component: {} } };
    expect(
      (await call('PUT', `/api/v1/pipelines/${id}`, { body: { ...body, embedding_model_config_id: null } }))
        .status,
    ).toBe(200);
    expect(await statusOf(id)).not.toHaveProperty('problems');
  });

  it.each([
    ['data sink', sink, 'VENDOR_G'],
    ['embedding_config', model, 'PROVIDER_A_EMBEDDING.*cloud_endpoint'],
  ])('because of its %s answers 409 before and after a sync', async (what, config, kind) => {
    const id = await createPipeline(config);
    const message = expect.stringMatching(
      new RegExp(`^Pipeline ${id} cannot be queried: .*${kind}.*another ${what}`),
    );
    const refusals = async () => {
      const asked = await ask(id);
      expect([asked.status, asked.body.detail]).toEqual([409, message]);
      expect(asked.headers.get('x-should-retry')).toBe('false');
      const chat = await call<Failed>('POST', `/api/v1/pipelines/${id}/chat`, {
        body: { messages: [{ role: 'user', content: 'What is marzipan?' }] },
      });
      expect([chat.status, chat.body.detail]).toEqual([409, message]);
      const together = await call<Failed>('POST', '/api/v1/retrievers/retrieve', {
        body: { query: 'marzipan', pipelines: [{ pipeline_id: id }] },
      });
      expect([together.status, together.body.metadata.pipelines[id]]).toEqual([
        200,
        { unavailable: message },
      ]);
    };
    await refusals();
    await addFiles(id, { 'note.txt': 'The note speaks of marzipan.' });
    const ended = await sync(id);
    expect([ended.status, JSON.stringify(ended.error)]).toEqual([
      'ERROR',
      expect.stringMatching(new RegExp(kind)),
    ]);
    await refusals();
  });

  it('is skipped when a retriever asks it with others', async () => {
    const good = await createPipeline();
    await addFiles(good, { 'note.txt': 'The note speaks of marzipan.' });
    await sync(good);
    const bad = await createPipeline(model);
    const body = { query: 'marzipan', pipelines: [{ pipeline_id: bad }, { pipeline_id: good }] };
    const together = await call<Failed & { nodes: object[] }>('POST', '/api/v1/retrievers/retrieve', {
      body,
    });
    expect(together.body.nodes).toHaveLength(1);
    expect(together.body.metadata.pipelines[bad]).toHaveProperty('unavailable');
  });
});
