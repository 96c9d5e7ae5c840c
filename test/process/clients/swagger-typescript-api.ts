import { Api, type ErrorBody, type HttpResponse } from './generated-swagger-typescript-api.ts';

/** Indexes a file, retrieves its text and deletes everything. */
export async function firstSteps(base: string, key: string): Promise<string[]> {
  const { api } = new Api({
    baseUrl: base,
    baseApiParams: { headers: { authorization: `Bearer ${key}` } },
  });
  const { id: pipelineId } = (await api.createPipeline({ name: crypto.randomUUID() })).data;
  const content = new File(['The harbour opens at nine.'], 'h.txt');
  const file = (await api.uploadFile({ upload_file: content })).data;
  await api.addPipelineFiles(pipelineId, [{ file_id: file.id, custom_metadata: { shelf: 'b' } }]);
  await api.syncPipeline(pipelineId);
  while ((await api.getPipelineStatus(pipelineId)).data.status !== 'SUCCESS') await pause();
  const found = (await api.retrieve(pipelineId, { query: 'When does the harbour open?' })).data;
  await api.deletePipeline(pipelineId);
  await api.deleteFile(file.id);
  const gone = await api.getFile(file.id).catch((answer: HttpResponse<never, ErrorBody>) => answer);
  return [gone.error.code, ...found.retrieval_nodes.map(({ node }) => node.text ?? '')];
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
