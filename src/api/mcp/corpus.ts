import { z } from 'zod';
import { idParams } from '#src/api/operation/schemas.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import type { CorpusParams } from '#src/chat/sessions/corpus.ts';
import { Invalid } from '#src/lib/errors.ts';

/** Id of the pipeline or retriever to search. A call must contain exactly one of the two ids. */
export const corpusInput = z.object({
  pipeline_id: pipelineParams.shape.pipeline_id
    .nullish()
    .describe('Id of a pipeline, from list_pipelines. Send either this or retriever_id.'),
  retriever_id: idParams('retriever_id')
    .shape.retriever_id.nullish()
    .describe('Id of a retriever, which searches several pipelines at once.'),
});

export function toCorpusParams({ pipeline_id, retriever_id }: z.output<typeof corpusInput>): CorpusParams {
  if (pipeline_id && retriever_id) {
    throw Invalid.field(['retriever_id'], 'either pipeline_id or retriever_id, not both');
  }
  if (pipeline_id) return { pipeline_id };
  if (retriever_id) return { retriever_id };
  throw Invalid.field(['pipeline_id'], 'pipeline_id or retriever_id is required', 'missing');
}
