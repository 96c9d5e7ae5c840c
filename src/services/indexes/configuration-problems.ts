import type { Context } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { DomainError, messageOf } from '#src/lib/errors.ts';
import { sinkFor } from '#src/services/connections/index-sink.ts';
import { ownEmbedderOf } from './embedding.ts';

/** A field with which no sync can succeed, and the reason. */
export interface ConfigurationProblem {
  field: string;
  message: string;
}

/**
 * Finds problems without calling a store or model: configurations that this installation cannot open or run.
 */
export async function configurationProblems(
  ctx: Context,
  pipeline: Pipeline,
): Promise<ConfigurationProblem[]> {
  const embedding = pipeline.embeddingModelConfigId ? 'embedding_model_config_id' : 'embedding_config';
  const problems = await Promise.all([
    problemOf(ctx, 'data_sink_id', sinkFor(ctx, pipeline)),
    problemOf(ctx, embedding, ownEmbedderOf(ctx, pipeline)),
  ]);
  return problems.filter((each) => each !== undefined);
}

async function problemOf(
  ctx: Context,
  field: string,
  opening: Promise<unknown>,
): Promise<ConfigurationProblem | undefined> {
  try {
    await opening;
  } catch (error) {
    const isState = error instanceof DomainError && !error.retryable;
    if (isState) return { field, message: messageOf(error) };
    // The status of the sync is still returned.
    ctx.log.error('a field of a pipeline could not be looked at', { field, error: messageOf(error) });
  }
  return undefined;
}
