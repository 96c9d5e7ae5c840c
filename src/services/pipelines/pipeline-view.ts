import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import {
  type DataSink,
  dataSinks,
  type EmbeddingModelConfig,
  embeddingModelConfigs,
  type Pipeline,
} from '#src/db/schema/index.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { maskDataSink } from '#src/services/connections/data-sinks.ts';
import { maskEmbedding } from '#src/services/connections/embedding-model-configs.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';

/** Pipeline with its data sink and embedding model config. Secrets are masked. */
export interface PipelineView {
  pipeline: Pipeline;
  dataSink: DataSink | null;
  embeddingModelConfig: EmbeddingModelConfig | null;
}

/** Returns the views of pipelines in the given order, with two SQL statements for any number of pipelines. */
export async function viewPipelines(ctx: Context, rows: readonly Pipeline[]): Promise<PipelineView[]> {
  const [sinks, configs] = await Promise.all([
    readReferenced(
      rows.map(({ dataSinkId }) => dataSinkId),
      (ids) => selectSinks(ctx, ids),
    ),
    readReferenced(
      rows.map(({ embeddingModelConfigId }) => embeddingModelConfigId),
      (ids) => selectEmbeddingModelConfigs(ctx, ids),
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
      dataSink: sink ? maskDataSink(ctx, sink) : null,
      embeddingModelConfig: config ?? null,
    };
  });
}

/** Reads the rows of referenced resources by id. Without ids, no query is sent. */
async function readReferenced<Row extends { id: string }>(
  ids: (string | null)[],
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Map<string | null, Row>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length > 0 ? await read(wanted) : [];
  return new Map(rows.map((row) => [row.id, row]));
}

export const selectSinks = (ctx: Context, ids: string[]) =>
  ctx.db.select().from(dataSinks).where(isInList(dataSinks.id, ids)).$dynamic();

export const selectEmbeddingModelConfigs = (ctx: Context, ids: string[]) =>
  ctx.db.select().from(embeddingModelConfigs).where(isInList(embeddingModelConfigs.id, ids)).$dynamic();
