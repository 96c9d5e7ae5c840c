import type { Operation } from '#src/api/operation/operation-types.ts';
import { chatOperations } from './chat.ts';
import { embeddingOperations } from './embeddings.ts';
import { modelOperations } from './models.ts';
import { responseOperations } from './responses/operation.ts';

export const OPENAI_OPERATIONS = [
  ...modelOperations,
  ...chatOperations,
  ...responseOperations,
  ...embeddingOperations,
] satisfies readonly Operation[];

/** Id of an operation that only clients of the OpenAI protocol use. */
export type OpenAiOperationId = (typeof OPENAI_OPERATIONS)[number]['id'];
