import { and, eq, exists, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import {
  dataSinks,
  type EmbeddingModelConfig,
  embeddingModelConfigs,
  type Pipeline,
  projects,
} from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { DomainError, Invalid, NotFound } from '#src/lib/errors.ts';
import { canonicalJson, configHash } from '#src/lib/secrets/hash.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import {
  createDataSink,
  deleteDataSink,
  getDataSink,
  maskDataSink,
} from '#src/services/connections/data-sinks.ts';
import {
  getEmbeddingModelConfig,
  hashEmbedding,
  sealEmbedding,
  whereUnchanged,
} from '#src/services/connections/embedding-model-configs.ts';
import { getEmbeddingPlace } from '#src/services/indexes/embedding.ts';
import { findSparseModelRefusal } from '#src/services/indexes/sparse-model.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, restoreSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import type { PipelineChanges } from './input.ts';

export const getParsePlace = sealedPlaces.pipelineParsing;

const getKeyRing = (ctx: Context) =>
  parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

export function openParameters(ctx: Context, pipeline: Pipeline): Promise<Record<string, unknown>> {
  return openSecrets(pipeline.parseParameters, getKeyRing(ctx), getParsePlace(pipeline.id));
}

/**
 * Returns the context for writing a pipeline of the project. Names are unique within this project, and new
 * data sinks are created in it. Referenced resources must belong to its organization, even if the caller can
 * access others.
 */
export async function createWriterContext(caller: TenantContext, projectId: string): Promise<TenantContext> {
  const [project] = await caller.db
    .select({ organizationId: projects.organizationId })
    .from(projects)
    .where(eq(projects.id, projectId));
  if (!project) throw new NotFound('Project', projectId);
  const { organizationId } = project;
  return { ...caller, projectId, organizationId, onlyOrganizationId: organizationId };
}

/** Creates the data sink that the input contains, and deletes it again if the pipeline cannot be written. */
export async function withInlineSink<Input extends PipelineChanges, Result>(
  ctx: TenantContext,
  input: Input,
  write: (input: Input) => Promise<Result>,
): Promise<Result> {
  const { data_sink: inline } = input;
  if (!inline || input.data_sink_id) return write(input);
  if (inline.id)
    return write({
      ...input,
      data_sink: null,
      data_sink_id: await requireUnchangedSink(ctx, inline, inline.id),
    });
  const { id } = await createDataSink(ctx, inline);
  try {
    return await write({ ...input, data_sink: null, data_sink_id: id });
  } catch (error) {
    // If the pipeline was written despite the error, it uses the data sink. Deleting the data sink then
    // fails, and this failure is ignored.
    await deleteDataSink(ctx, id).catch(() => {});
    throw error;
  }
}

/**
 * Returns the id of an existing data sink that a client sends back unchanged. Throws Invalid if it was
 * changed, because updating a pipeline must not change a data sink that other pipelines may use.
 */
async function requireUnchangedSink(
  ctx: TenantContext,
  { name, sink_type, component }: NonNullable<PipelineChanges['data_sink']>,
  id: string,
): Promise<string> {
  const stored = maskDataSink(ctx, await withFieldName('data_sink.id', getDataSink(ctx, id)));
  const asShown = [stored.name, stored.sinkType, omitClassName(stored.component)];
  if (canonicalJson([name, sink_type, omitClassName(component)]) === canonicalJson(asShown)) return id;
  const message =
    'differs from the data sink with this id; update that data sink, or omit the id to create another one';
  throw Invalid.field(['data_sink'], message);
}

function omitClassName({ class_name: _, ...rest }: Record<string, unknown>) {
  return rest;
}

/**
 * Resources that a pipeline will refer to. The statement that writes the pipeline contains the condition
 * `areUnchanged`, so that nothing is written if a resource changed concurrently.
 */
export interface References {
  /**
   * Id of the data sink. Null selects the managed index. Undefined keeps the current value, and selects the
   * managed index for a new pipeline.
   */
  dataSinkId: string | null | undefined;
  /**
   * Shared embedding configuration. Null removes the reference to it. Undefined keeps the current reference,
   * and a new pipeline gets none.
   */
  shared: EmbeddingModelConfig | null | undefined;
  areUnchanged: SQL | undefined;
}

/**
 * Looks up the resources that the input refers to. Throws NotFound with the field's name if a resource does
 * not exist or is not accessible.
 */
export async function resolveReferences(ctx: TenantContext, input: PipelineChanges): Promise<References> {
  const { embedding_model_config_id: configId, data_sink_id: sinkId } = input;
  const shared = configId
    ? await withFieldName('embedding_model_config_id', getEmbeddingModelConfig(ctx, configId))
    : (configId as null | undefined);
  const sink = sinkId ? await withFieldName('data_sink_id', getDataSink(ctx, sinkId)) : undefined;
  const rows = (from: typeof embeddingModelConfigs | typeof dataSinks, where: SQL | undefined) =>
    exists(ctx.db.select({ one: sql`1` }).from(from).where(where));
  return {
    shared,
    // Null selects the managed index. This is the case if the request sets one of the data sink fields to
    // null.
    dataSinkId: sink?.id ?? (sinkId === null || input.data_sink === null ? null : undefined),
    areUnchanged: and(
      shared ? rows(embeddingModelConfigs, whereUnchanged(shared.id, shared.embeddingConfig)) : undefined,
      sink && rows(dataSinks, eq(dataSinks.id, sink.id)),
    ),
  };
}

export async function withFieldName<Row>(field: string, reading: Promise<Row>): Promise<Row> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof NotFound ? new DomainError(error.code, `${field}: ${error.message}`) : error;
  }
}

/** Returns the configuration columns of a new pipeline and their hashes. */
export async function buildNewColumns(
  ctx: TenantContext,
  id: string,
  input: PipelineChanges,
  to: References,
) {
  const dataSinkId = to.dataSinkId ?? null;
  const sparseModelConfig = getSparseModel(input) ?? { model_type: 'bm25' };
  await rejectNativeSplade(ctx, { dataSinkId, sparseModelConfig });
  return {
    ...(await buildEmbeddingColumns(ctx, id, input, to)),
    ...(await buildTransformColumns(input.transform_config ?? { mode: 'auto' })),
    ...(await buildParsingColumns(ctx, id, input.parse_parameters ?? {})),
    dataSinkId,
    presetRetrievalParameters: input.preset_retrieval_parameters ?? {},
    sparseModelConfig,
    metadataConfig: getMetadataConfig(input) ?? null,
  };
}

/** Returns the configuration columns that the changes affect. */
export async function buildChangedColumns(
  ctx: TenantContext,
  stored: Pipeline,
  input: PipelineChanges,
  to: References,
) {
  const { parse_parameters: parsing, transform_config: transform } = input;
  const sparseModelConfig = getSparseModel(input);
  if (sparseModelConfig || to.dataSinkId) {
    await rejectNativeSplade(ctx, {
      dataSinkId: to.dataSinkId === undefined ? stored.dataSinkId : to.dataSinkId,
      sparseModelConfig: sparseModelConfig ?? stored.sparseModelConfig,
    });
  }
  return {
    ...(changesEmbedding(stored, input, to) &&
      (await buildEmbeddingColumns(ctx, stored.id, input, to, stored))),
    ...(transform && (await buildTransformColumns(transform))),
    ...(parsing && (await buildParsingColumns(ctx, stored.id, parsing, stored))),
    dataSinkId: to.dataSinkId,
    presetRetrievalParameters: input.preset_retrieval_parameters ?? undefined,
    sparseModelConfig,
    metadataConfig: getMetadataConfig(input),
  };
}

/**
 * A pipeline that loses its shared configuration gets its own one: the configuration in the request, or the
 * built-in one.
 */
function changesEmbedding(stored: Pipeline, input: PipelineChanges, { shared }: References): boolean {
  const endsReference = shared === null && stored.embeddingModelConfigId !== null;
  return Boolean(input.embedding_config || shared || endsReference);
}

async function buildEmbeddingColumns(
  ctx: TenantContext,
  id: string,
  { embedding_config: input }: PipelineChanges,
  { shared }: References,
  stored?: Pipeline,
) {
  if (shared) {
    const embeddingConfigHash = await hashEmbedding(ctx, shared.embeddingConfig);
    // The shared configuration applies, so the pipeline does not store its secrets.
    const embeddingConfig = { type: shared.embeddingConfig.type, component: {} };
    return { embeddingModelConfigId: shared.id, embeddingConfig, embeddingConfigHash };
  }
  const own = stored?.embeddingModelConfigId ? undefined : stored?.embeddingConfig;
  const embeddingConfig = await sealEmbedding(ctx, input ?? {}, getEmbeddingPlace(id), own);
  return {
    embeddingModelConfigId: null,
    embeddingConfig,
    embeddingConfigHash: await hashEmbedding(ctx, embeddingConfig),
  };
}

async function buildTransformColumns(input: unknown) {
  const transform = transformConfig.parse(input) as Record<string, unknown>;
  return { transformConfig: transform, transformConfigHash: await configHash(transform) };
}

async function buildParsingColumns(
  ctx: TenantContext,
  id: string,
  input: NonNullable<PipelineChanges['parse_parameters']>,
  stored?: Pipeline,
) {
  rejectPrivateAddresses(ctx, parseParameters, input, ['body', 'parse_parameters']);
  const before = stored ? await openParameters(ctx, stored) : {};
  const kept = restoreSecrets(parseParameters, input, before, ['body', 'parse_parameters']);
  const parsing = Object.fromEntries(
    Object.entries(kept).filter(([, value]) => value !== null && value !== undefined),
  );
  return {
    parseParameters: await sealSecrets(parseParameters, parsing, getKeyRing(ctx), getParsePlace(id)),
    asOriginal: ctx.asOriginal ?? false,
    parsingConfigHash: await parsingConfigHash(parsing),
  };
}

function getSparseModel({ sparse_model_config: given }: PipelineChanges) {
  return given ? { ...given, model_type: given.model_type ?? 'bm25' } : undefined;
}

/** Throws Invalid if the data sink searches by words itself, so that it has no use for the weights of a model. */
async function rejectNativeSplade(
  ctx: TenantContext,
  to: Pick<Pipeline, 'dataSinkId' | 'sparseModelConfig'>,
): Promise<void> {
  if (!to.dataSinkId) return;
  const sink = await ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, to.dataSinkId) });
  const refusal = sink && findSparseModelRefusal(ctx, to, sink.component);
  if (refusal) throw Invalid.field(['sparse_model_config', 'model_type'], refusal);
}

function getMetadataConfig({
  metadata_config: given,
}: PipelineChanges): Pipeline['metadataConfig'] | undefined {
  if (!given) return given;
  const { excluded_embed_metadata_keys: embed, excluded_llm_metadata_keys: llm } = given;
  return {
    ...(embed && { excluded_embed_metadata_keys: embed }),
    ...(llm && { excluded_llm_metadata_keys: llm }),
  };
}
