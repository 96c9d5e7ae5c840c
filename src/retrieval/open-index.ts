import type { Context } from '#src/context/context.ts';
import type { Pipeline, PipelineIndex } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { type Sink, SinkError } from '#src/ports/sink.ts';
import { sinkFor } from '#src/services/connections/index-sink.ts';
import { embedderOf, ownEmbedderOf } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';

export interface OpenedIndex {
  sink: Sink;
  embedder: Embedder;
}

/**
 * What a pipeline's queries are asked of; undefined before its first sync. Throws Conflict when no query can be
 * answered until the pipeline itself is changed: nothing here opens its store, or runs its embedding model.
 */
export async function openIndex(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex | undefined,
): Promise<OpenedIndex | undefined> {
  if (!index) {
    await asState(pipeline, 'data sink', sinkFor(ctx, pipeline));
    await asState(pipeline, 'embedding_config', ownEmbedderOf(ctx, pipeline));
    return undefined;
  }
  return {
    sink: await asState(pipeline, 'data sink', openSink(ctx, index)),
    embedder: await asState(pipeline, 'embedding_config', embedderOf(ctx, pipeline, index)),
  };
}

/** A failure to open is told as what it is to the caller: a state of the pipeline, and what ends it. */
async function asState<Opened>(pipeline: Pipeline, what: string, opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening;
  } catch (error) {
    const isState = error instanceof Conflict || (error instanceof SinkError && !error.retryable);
    if (!isState) throw error;
    const message = `Pipeline ${pipeline.id} cannot be asked: ${error.message} Give it another ${what}, then sync it.`;
    throw new Conflict(message);
  }
}
