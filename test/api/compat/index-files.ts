import { expect } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** Creates a pipeline with files, each with its text and metadata, and waits until they are indexed. */
export async function indexFiles(
  key: string,
  files: Record<string, [text: string, metadata: Record<string, unknown>]>,
): Promise<{ pipelineId: string; fileIds: string[] }> {
  const name = `index ${crypto.randomUUID()}`;
  const { body } = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name } });
  const pipelineId = body.id;
  const added: { file_id: string; custom_metadata: object }[] = [];
  for (const [fileName, [text, custom_metadata]] of Object.entries(files)) {
    added.push({ file_id: await upload(fileName, text, { key }), custom_metadata });
  }
  const put = await call('PUT', `/api/v1/pipelines/${pipelineId}/files`, { key, body: added });
  expect(put.status, JSON.stringify(put.body)).toBe(200);
  await untilIndexed(key, pipelineId);
  return { pipelineId, fileIds: added.map(({ file_id }) => file_id) };
}

/** Starts a sync of a pipeline and waits for its end. */
export async function untilIndexed(key: string, pipelineId: string): Promise<void> {
  const path = `/api/v1/pipelines/${pipelineId}`;
  expect((await call('POST', `${path}/sync`, { key })).status).toBe(200);
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<{ status: string }>('GET', `${path}/status`, { key });
    if (['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR'].includes(body.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`pipeline ${pipelineId} was not indexed`);
}
