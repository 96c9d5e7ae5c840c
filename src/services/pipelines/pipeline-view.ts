import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import {
  type DataSink,
  dataSinks,
  type EmbeddingModelConfig,
  embeddingModelConfigs,
  type Pipeline,
} from '#src/db/schema/index.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { masked } from '#src/services/connections/data-sinks.ts';
import { maskEmbedding } from '#src/services/connections/embedding-model-configs.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';

/** A pipeline with the resources that it refers to, secrets masked. */
export interface PipelineView {
  pipeline: Pipeline;
  dataSink: DataSink | null;
  embeddingModelConfig: EmbeddingModelConfig | null;
}

/** Returns the views in the given order, with two statements in total. */
export async function viewPipelines(ctx: Context, rows: readonly Pipeline[]): Promise<PipelineView[]> {
  const [sinks, configs] = await Promise.all([
    readEach(
      rows.map(({ dataSinkId }) => dataSinkId),
      (ids) => sinkRows(ctx, ids),
    ),
    readEach(
      rows.map(({ embeddingModelConfigId }) => embeddingModelConfigId),
      (ids) => embeddingModelConfigRows(ctx, ids),
    ),
  ]);
  return rows.map((pipeline) => {
    const sink = sinks.get(pipeline.dataSinkId);
    const config = configs.get(pipeline.embeddingModelConfigId);
    return {
      pipeline: {
        ...pipeline,
        embeddingConfig: maskEmbedding(ctx, config?.embeddingConfig ?? pipeline.embeddingConfig),
        parseParameters: maskSecrets(parseParameters, pipeline.parseParameters),
      },
      dataSink: sink ? masked(ctx, sink) : null,
      embeddingModelConfig: config ?? null,
    };
  });
}

/** Reads the referenced rows by id. Without references no query is made. */
async function readEach<Row extends { id: string }>(
  ids: (string | null)[],
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Map<string | null, Row>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length > 0 ? await read(wanted) : [];
  return new Map(rows.map((row) => [row.id, row]));
}

export const sinkRows = (ctx: Context, ids: string[]) =>
  ctx.db.select().from(dataSinks).where(isOneOf(dataSinks.id, ids)).$dynamic();

export const embeddingModelConfigRows = (ctx: Context, ids: string[]) =>
  ctx.db.select().from(embeddingModelConfigs).where(isOneOf(embeddingModelConfigs.id, ids)).$dynamic();
