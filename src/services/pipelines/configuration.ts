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
import { createDataSink, deleteDataSink, getDataSink, masked } from '#src/services/connections/data-sinks.ts';
import {
  embeddingHash,
  getEmbeddingModelConfig,
  holds,
  sealEmbedding,
} from '#src/services/connections/embedding-model-configs.ts';
import { embeddingPlace } from '#src/services/indexes/embedding.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { refusePrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { keepMasked, openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import type { PipelineChanges } from './input.ts';

export const parsePlace = sealedPlaces.pipelineParsing;

const ring = (ctx: Context) => keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Returns the parse parameters with decrypted secrets. */
export function openParameters(ctx: Context, pipeline: Pipeline): Promise<Record<string, unknown>> {
  return openSecrets(pipeline.parseParameters, ring(ctx), parsePlace(pipeline.id));
}

/**
 * Returns the context for writing a pipeline of this project. Names and new sinks belong to the project, and
 * referenced resources must belong to its organization, even if the caller can access others.
 */
export async function writerIn(caller: TenantContext, projectId: string): Promise<TenantContext> {
  const [project] = await caller.db
    .select({ organizationId: projects.organizationId })
    .from(projects)
    .where(eq(projects.id, projectId));
  if (!project) throw new NotFound('Project', projectId);
  const { organizationId } = project;
  return { ...caller, projectId, organizationId, onlyOrganizationId: organizationId };
}

/** Creates an inline data sink first, and deletes it if the pipeline cannot be written. */
export async function withInlineSink<Input extends PipelineChanges, Result>(
  ctx: TenantContext,
  input: Input,
  write: (input: Input) => Promise<Result>,
): Promise<Result> {
  const { data_sink: inline } = input;
  if (!inline || input.data_sink_id) return write(input);
  if (inline.id)
    return write({ ...input, data_sink: null, data_sink_id: await knownSink(ctx, inline, inline.id) });
  const { id } = await createDataSink(ctx, inline);
  try {
    return await write({ ...input, data_sink: null, data_sink_id: id });
  } catch (error) {
    // Rejected if the pipeline was written despite the error.
    await deleteDataSink(ctx, id).catch(() => {});
    throw error;
  }
}

/**
 * Recognises a data sink that a client sends back as it was shown. Updating a pipeline does not change the
 * sink, because others may use it.
 */
async function knownSink(
  ctx: TenantContext,
  { name, sink_type, component }: NonNullable<PipelineChanges['data_sink']>,
  id: string,
): Promise<string> {
  const stored = masked(ctx, await named('data_sink.id', getDataSink(ctx, id)));
  const asShown = [stored.name, stored.sinkType, withoutClass(stored.component)];
  if (canonicalJson([name, sink_type, withoutClass(component)]) === canonicalJson(asShown)) return id;
  const message =
    'differs from the data sink of this id: change that one, or leave out the id to make another';
  throw Invalid.field(['data_sink'], message);
}

/** Clients may omit or add the class name of a component. */
function withoutClass({ class_name: _, ...rest }: Record<string, unknown>) {
  return rest;
}

/**
 * Resources that a pipeline will refer to. `isThere` is a condition for the writing statement that they have
 * not changed.
 */
export interface References {
  /**
   * Null selects the managed index. Undefined keeps the current value; a new pipeline gets the managed index.
   */
  dataSinkId: string | null | undefined;
  /** Null removes the shared configuration. Undefined keeps the current one; a new pipeline gets none. */
  shared: EmbeddingModelConfig | null | undefined;
  isThere: SQL | undefined;
}

/**
 * Looks up the resources that the input refers to. Rejects with NotFound, which names the field, if a
 * resource does not exist or is out of the writer's reach.
 */
export async function referencesOf(ctx: TenantContext, input: PipelineChanges): Promise<References> {
  const { embedding_model_config_id: configId, data_sink_id: sinkId } = input;
  const shared = configId
    ? await named('embedding_model_config_id', getEmbeddingModelConfig(ctx, configId))
    : (configId as null | undefined);
  const sink = sinkId ? await named('data_sink_id', getDataSink(ctx, sinkId)) : undefined;
  const rows = (from: typeof embeddingModelConfigs | typeof dataSinks, where: SQL | undefined) =>
    exists(ctx.db.select({ one: sql`1` }).from(from).where(where));
  return {
    shared,
    // Null if both members, or the only one sent, are null.
    dataSinkId: sink?.id ?? (sinkId === null || input.data_sink === null ? null : undefined),
    isThere: and(
      shared ? rows(embeddingModelConfigs, holds(shared.id, shared.embeddingConfig)) : undefined,
      sink && rows(dataSinks, eq(dataSinks.id, sink.id)),
    ),
  };
}

export async function named<Row>(field: string, reading: Promise<Row>): Promise<Row> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof NotFound ? new DomainError(error.code, `${field}: ${error.message}`) : error;
  }
}

/** Returns the configuration columns of a new pipeline and their hashes. */
export async function newColumns(ctx: TenantContext, id: string, input: PipelineChanges, to: References) {
  return {
    ...(await embeddingColumns(ctx, id, input, to)),
    ...(await transformColumns(input.transform_config ?? { mode: 'auto' })),
    ...(await parsingColumns(ctx, id, input.parse_parameters ?? {})),
    dataSinkId: to.dataSinkId ?? null,
    presetRetrievalParameters: input.preset_retrieval_parameters ?? {},
    sparseModelConfig: sparseModelOf(input) ?? { model_type: 'bm25' },
    metadataConfig: metadataOf(input) ?? null,
  };
}

/** Returns the configuration columns that the changes affect. */
export async function changedColumns(
  ctx: TenantContext,
  stored: Pipeline,
  input: PipelineChanges,
  to: References,
) {
  const { parse_parameters: parsing, transform_config: transform } = input;
  return {
    ...(changesEmbedding(stored, input, to) && (await embeddingColumns(ctx, stored.id, input, to, stored))),
    ...(transform && (await transformColumns(transform))),
    ...(parsing && (await parsingColumns(ctx, stored.id, parsing, stored))),
    dataSinkId: to.dataSinkId,
    presetRetrievalParameters: input.preset_retrieval_parameters ?? undefined,
    sparseModelConfig: sparseModelOf(input),
    metadataConfig: metadataOf(input),
  };
}

/** A pipeline whose shared configuration is removed gets its own: the one sent, or the built-in. */
function changesEmbedding(stored: Pipeline, input: PipelineChanges, { shared }: References): boolean {
  const endsReference = shared === null && stored.embeddingModelConfigId !== null;
  return Boolean(input.embedding_config || shared || endsReference);
}

async function embeddingColumns(
  ctx: TenantContext,
  id: string,
  { embedding_config: input }: PipelineChanges,
  { shared }: References,
  stored?: Pipeline,
) {
  if (shared) {
    const embeddingConfigHash = await embeddingHash(ctx, shared.embeddingConfig);
    // The shared configuration is authoritative, so the pipeline keeps no copy of its secrets.
    const embeddingConfig = { type: shared.embeddingConfig.type, component: {} };
    return { embeddingModelConfigId: shared.id, embeddingConfig, embeddingConfigHash };
  }
  const own = stored?.embeddingModelConfigId ? undefined : stored?.embeddingConfig;
  const embeddingConfig = await sealEmbedding(ctx, input ?? {}, embeddingPlace(id), own);
  return {
    embeddingModelConfigId: null,
    embeddingConfig,
    embeddingConfigHash: await embeddingHash(ctx, embeddingConfig),
  };
}

async function transformColumns(input: unknown) {
  const transform = transformConfig.parse(input) as Record<string, unknown>;
  return { transformConfig: transform, transformConfigHash: await configHash(transform) };
}

async function parsingColumns(
  ctx: TenantContext,
  id: string,
  input: NonNullable<PipelineChanges['parse_parameters']>,
  stored?: Pipeline,
) {
  refusePrivateAddresses(ctx, parseParameters, input, ['body', 'parse_parameters']);
  const before = stored ? await openParameters(ctx, stored) : {};
  const kept = keepMasked(parseParameters, input, before, ['body', 'parse_parameters']);
  const parsing = Object.fromEntries(
    Object.entries(kept).filter(([, value]) => value !== null && value !== undefined),
  );
  return {
    parseParameters: await sealSecrets(parseParameters, parsing, ring(ctx), parsePlace(id)),
    asOriginal: ctx.asOriginal ?? false,
    parsingConfigHash: await parsingConfigHash(parsing),
  };
}

function sparseModelOf({ sparse_model_config: given }: PipelineChanges) {
  return given ? { ...given, model_type: given.model_type ?? 'bm25' } : undefined;
}

/** Null removes the configuration. */
function metadataOf({ metadata_config: given }: PipelineChanges): Pipeline['metadataConfig'] | undefined {
  if (!given) return given;
  const { excluded_embed_metadata_keys: embed, excluded_llm_metadata_keys: llm } = given;
  return {
    ...(embed && { excluded_embed_metadata_keys: embed }),
    ...(llm && { excluded_llm_metadata_keys: llm }),
  };
}
