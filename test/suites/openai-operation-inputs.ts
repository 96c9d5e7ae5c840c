import { textFile } from './operation-bodies.ts';
import type { Fixtures } from './operation-fixtures.ts';
import { type Make, none } from './operation-makers.ts';

// Valid inputs of the operations on files and vector stores of the OpenAI protocol.

const file: Make = async (make) => ({ params: { file_id: await make.file() } });
const store =
  (body?: unknown): Make =>
  async (make) => ({
    params: { vector_store_id: await make.pipeline() },
    ...(body !== undefined && { body }),
  });
const storeFile =
  (body?: unknown): Make =>
  async (make) => {
    const { pipeline_id: vector_store_id, file_id } = await make.pipelineFile();
    return { params: { vector_store_id, file_id }, ...(body !== undefined && { body }) };
  };

/** Creates a batch with one file. */
export async function createFileBatch(make: Fixtures, storeId: string): Promise<string> {
  const path = `/openai/v1/vector_stores/${storeId}/file_batches`;
  return (await make.create('POST', path, { file_ids: [await make.file()] })).id;
}

const batch: Make = async (make) => {
  const vector_store_id = await make.pipeline();
  return { params: { vector_store_id, batch_id: await createFileBatch(make, vector_store_id) } };
};

/** Creates a stored response. */
export async function createStoredResponse(make: Fixtures): Promise<string> {
  const model = `pipeline-${await make.pipeline()}`;
  const body = { model, input: 'What does marmalade need?', store: true };
  return (await make.create('POST', '/openai/v1/responses', body)).id;
}

const storedResponse: Make = async (make) => ({ params: { response_id: await createStoredResponse(make) } });

export const OPENAI_INPUTS = {
  getResponse: storedResponse,
  deleteResponse: storedResponse,
  listResponseInputItems: storedResponse,
  openAiUploadFile: () => ({ form: { file: textFile(), purpose: 'assistants' } }),
  openAiListFiles: none,
  openAiGetFile: file,
  openAiGetFileContent: file,
  openAiDeleteFile: file,
  createVectorStore: () => ({ body: { name: `store ${crypto.randomUUID()}`, metadata: { team: 'roads' } } }),
  listVectorStores: none,
  getVectorStore: store(),
  updateVectorStore: store({ metadata: { team: 'bridges' } }),
  deleteVectorStore: store(),
  searchVectorStore: store({ query: 'What does marmalade need?' }),
  addVectorStoreFile: async (make) => ({
    params: { vector_store_id: await make.pipeline() },
    body: { file_id: await make.file(), attributes: { kind: 'invoice' } },
  }),
  listVectorStoreFiles: async (make) => {
    const { pipeline_id } = await make.pipelineFile();
    return { params: { vector_store_id: pipeline_id } };
  },
  getVectorStoreFile: storeFile(),
  updateVectorStoreFile: storeFile({ attributes: { kind: 'invoice' } }),
  removeVectorStoreFile: storeFile(),
  getVectorStoreFileContent: storeFile(),
  createVectorStoreFileBatch: async (make) => ({
    params: { vector_store_id: await make.pipeline() },
    body: { file_ids: [await make.file()] },
  }),
  getVectorStoreFileBatch: batch,
  cancelVectorStoreFileBatch: batch,
  listVectorStoreFileBatchFiles: batch,
} satisfies Record<string, Make>;
