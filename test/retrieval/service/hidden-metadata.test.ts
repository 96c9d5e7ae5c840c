import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { findFilesByMetadata } from '#src/retrieval/find-files.ts';
import { call, upload } from '#test/support/client.ts';
import { createPipeline, sync } from '#test/support/pipelines.ts';
import { scopeOf } from '#test/support/scopes.ts';

const excluding = (...excluded_llm_metadata_keys: string[]) => ({
  metadata_config: { excluded_llm_metadata_keys },
});

it('files are found without the keys that the pipeline or its playground hides from models', async () => {
  const managed = await createPipeline(excluding('salary'));
  const file_id = await upload('harbour.txt', 'The harbour opens at seven.');
  const custom_metadata = { salary: 'a', rank: 'b', room: 'c' };
  await call('PUT', `/api/v1/pipelines/${managed}/files`, { body: [{ file_id, custom_metadata }] });
  expect((await sync(managed)).status).toBe('SUCCESS');
  const playground = await createPipeline({
    ...{ pipeline_type: 'PLAYGROUND', managed_pipeline_id: managed },
    ...excluding('rank'),
  });
  const scope = await scopeOf({ key: String(env.BOOTSTRAP_API_KEY) });
  const keysIn = async (pipelineId: string) => {
    const filters = {
      condition: 'and' as const,
      filters: [{ key: 'room', operator: '==' as const, value: 'c' }],
    };
    const { items } = await findFilesByMetadata(scope, pipelineId, { filters, pageSize: 10 });
    expect(items.map(({ documentId }) => documentId)).toEqual([file_id]);
    return ['salary', 'rank', 'room'].filter((key) => key in items[0]!.metadata);
  };
  expect(await keysIn(managed)).toEqual(['rank', 'room']);
  expect(await keysIn(playground)).toEqual(['room']);
});
