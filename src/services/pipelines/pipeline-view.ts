import { eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import {
  type DataSink,
  dataSinks,
  type EmbeddingModelConfig,
  embeddingModelConfigs,
  type Pipeline,
} from '#src/db/schema/index.ts';
import { parseParameters } from '#src/parsing/parameters.ts';
import { masked } from '#src/services/connections/data-sinks.ts';
import { maskEmbedding } from '#src/services/connections/embedding-model-configs.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';

/** A pipeline with what it refers to, secrets masked. */
export interface PipelineView {
  pipeline: Pipeline;
  dataSink: DataSink | null;
  embeddingModelConfig: EmbeddingModelConfig | null;
}

export async function viewPipeline(ctx: Context, pipeline: Pipeline): Promise<PipelineView> {
  const [sink, config] = await Promise.all([
    pipeline.dataSinkId
      ? ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, pipeline.dataSinkId) })
      : undefined,
    pipeline.embeddingModelConfigId
      ? ctx.db.query.embeddingModelConfigs.findFirst({
          where: eq(embeddingModelConfigs.id, pipeline.embeddingModelConfigId),
        })
      : undefined,
  ]);
  return {
    pipeline: {
      ...pipeline,
      embeddingConfig: maskEmbedding(ctx, config?.embeddingConfig ?? pipeline.embeddingConfig),
      parseParameters: maskSecrets(parseParameters, pipeline.parseParameters),
    },
    dataSink: sink ? masked(ctx, sink) : null,
    embeddingModelConfig: config ?? null,
  };
}
