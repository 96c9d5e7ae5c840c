import { z } from 'zod';
import { idParams } from '#src/api/operation/schemas.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import type { CorpusParams } from '#src/chat/sessions/corpus.ts';
import type { TenantContext } from '#src/context/context.ts';
import { Invalid } from '#src/lib/errors.ts';
import { getPipelinePage } from '#src/services/pipelines/lists.ts';

/** Id of the pipeline or retriever to search. A call contains at most one of the two ids. */
export const corpusInput = z.object({
  pipeline_id: pipelineParams.shape.pipeline_id
    .nullish()
    .describe(
      'Id of a pipeline, from list_pipelines. Send either this or retriever_id. Default: the only pipeline of the project.',
    ),
  retriever_id: idParams('retriever_id')
    .shape.retriever_id.nullish()
    .describe('Id of a retriever, which searches several pipelines at once.'),
});

/** Returns what to search. Without an id, this is the only pipeline of the project. */
export async function resolveCorpus(
  ctx: TenantContext,
  { pipeline_id, retriever_id }: z.output<typeof corpusInput>,
): Promise<CorpusParams> {
  if (pipeline_id && retriever_id) {
    throw Invalid.field(['retriever_id'], 'either pipeline_id or retriever_id, not both');
  }
  if (pipeline_id) return { pipeline_id };
  if (retriever_id) return { retriever_id };
  const { items, total_size } = await getPipelinePage(ctx, { page_size: 1, pipeline_type: 'MANAGED' });
  if (total_size === 1) return { pipeline_id: items[0]!.id };
  const reason = `the project has ${total_size} pipelines, so pipeline_id or retriever_id is required`;
  throw Invalid.field(['pipeline_id'], reason, 'missing');
}
