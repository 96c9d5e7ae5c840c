import * as sluice from './sluice-client/index.js';

const { ok } = sluice;

/** Indexes a file, retrieves its text and deletes everything. */
export async function firstSteps(base: string, key: string): Promise<string[]> {
  sluice.connect(base, key);
  const { id: pipelineId } = await ok(sluice.createPipeline({ name: crypto.randomUUID() }));
  const file = await ok(
    sluice.uploadFile({ upload_file: new File(['The harbour opens at nine.'], 'h.txt') }),
  );
  await ok(sluice.addPipelineFiles(pipelineId, [{ file_id: file.id, custom_metadata: { shelf: 'b' } }]));
  await ok(sluice.syncPipeline(pipelineId));
  while ((await ok(sluice.getPipelineStatus(pipelineId))).status !== 'SUCCESS') await pause();
  const found = await ok(sluice.retrieve(pipelineId, { query: 'When does the harbour open?' }));
  await ok(sluice.deletePipeline(pipelineId));
  await ok(sluice.deleteFile(file.id));
  const gone = await sluice.getFile(file.id);
  if (gone.status !== 404) throw new Error(`the file is still there: ${gone.status}`);
  return [gone.data.code, ...found.retrieval_nodes.map(({ node }) => node.text ?? '')];
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
