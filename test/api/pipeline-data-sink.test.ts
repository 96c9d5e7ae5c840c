import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

async function pipelineInto(component: Record<string, unknown>) {
  const { body } = await call<{ id: string }>('POST', '/api/v1/data-sinks', {
    body: { name: 'vectors', sink_type: 'VENDOR_G', component },
  });
  const id = await createPipeline({ data_sink_id: body.id });
  await addFiles(id, { 'note.txt': 'The note speaks of marzipan.' });
  return id;
}

describe('a data sink that cannot be written to', () => {
  it.each([
    [
      'of a kind without a driver',
      { api_key: 'k', url: 'https://vectors.example', collection_name: 'c' },
      'no driver',
    ],
    ['with a free-form component', { anything: 'x' }, 'no field that VENDOR_G knows'],
  ])('%s ends the sync with that reason, and nothing goes elsewhere', async (_, component, reason) => {
    const id = await pipelineInto(component);
    const status = await sync(id);
    expect(status.status).toBe('ERROR');
    expect(JSON.stringify(status.error)).toContain(reason);
    expect(await retrieve(id, 'marzipan')).toEqual([]);
  });
});
