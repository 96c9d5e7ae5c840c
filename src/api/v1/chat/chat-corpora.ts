import type { z } from 'zod';
import { idParams } from '#src/api/operation/schemas.ts';
import type { CorpusParams } from '#src/chat/sessions/corpus.ts';

/**
 * Path and parameters of the chat operations of pipelines or of retrievers. `prefix` distinguishes the
 * operation ids of the two.
 */
export interface ChatCorpus<Prefix extends string, Path extends string> {
  path: Path;
  params: z.ZodObject<Record<never, never>>;
  prefix: Prefix;
  /** Returns the pipeline or retriever that the path names. */
  asked(params: object): CorpusParams;
  what: 'pipeline' | 'retriever';
}

export const PIPELINE_CHATS: ChatCorpus<'', '/api/v1/pipelines/{pipeline_id}'> = {
  path: '/api/v1/pipelines/{pipeline_id}',
  params: idParams('pipeline_id'),
  prefix: '',
  asked: (params) => params as { pipeline_id: string },
  what: 'pipeline',
};

export const RETRIEVER_CHATS: ChatCorpus<'Retriever', '/api/v1/retrievers/{retriever_id}'> = {
  path: '/api/v1/retrievers/{retriever_id}',
  params: idParams('retriever_id'),
  prefix: 'Retriever',
  asked: (params) => params as { retriever_id: string },
  what: 'retriever',
};
