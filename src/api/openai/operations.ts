import type { Operation } from '#src/api/operation/operation-types.ts';
import { chatOperations } from './chat.ts';
import { embeddingOperations } from './embeddings.ts';
import { openAiFileOperations } from './files/operations.ts';
import { modelOperations } from './models.ts';
import { responseOperations } from './responses/operation.ts';
import { vectorStoreBatchOperations } from './vector-stores/batches.ts';
import { vectorStoreFileOperations } from './vector-stores/files.ts';
import { vectorStoreSearchOperations } from './vector-stores/search.ts';
import { vectorStoreOperations } from './vector-stores/stores.ts';

export const OPENAI_OPERATIONS = [
  ...modelOperations,
  ...chatOperations,
  ...responseOperations,
  ...embeddingOperations,
  ...openAiFileOperations,
  ...vectorStoreOperations,
  ...vectorStoreSearchOperations,
  ...vectorStoreFileOperations,
  ...vectorStoreBatchOperations,
] satisfies readonly Operation[];

/** Id of an operation that only clients of the OpenAI protocol use. */
export type OpenAiOperationId = (typeof OPENAI_OPERATIONS)[number]['id'];
