import type { Context } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { getPipelineSink } from '#src/services/connections/index-sink.ts';
import { createOwnEmbedder } from './embedding.ts';

/** A field of a pipeline whose value prevents every sync, with the reason. */
export interface ConfigurationProblem {
  field: string;
  message: string;
}

/**
 * Finds configurations that this installation cannot decrypt or run. Does not call a vector store or model.
 */
export async function findConfigurationProblems(
  ctx: Context,
  pipeline: Pipeline,
): Promise<ConfigurationProblem[]> {
  const embedding = pipeline.embeddingModelConfigId ? 'embedding_model_config_id' : 'embedding_config';
  const problems = await Promise.all([
    findProblem(ctx, 'data_sink_id', getPipelineSink(ctx, pipeline)),
    findProblem(ctx, embedding, createOwnEmbedder(ctx, pipeline)),
  ]);
  return problems.filter((each) => each !== undefined);
}

async function findProblem(
  ctx: Context,
  field: string,
  opening: Promise<unknown>,
): Promise<ConfigurationProblem | undefined> {
  try {
    await opening;
  } catch (error) {
    const isState = error instanceof DomainError && !error.retryable;
    if (isState) return { field, message: getErrorMessage(error) };
    // An unexpected error must not prevent the status from being returned.
    ctx.log.error('a field of a pipeline could not be checked', { field, error: getErrorMessage(error) });
  }
  return undefined;
}
