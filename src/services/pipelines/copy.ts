import { eq, type SQL, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type Pipeline, pipelines, type SweepVariant } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { newId } from '#src/lib/ids.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { openEmbedding, sealEmbeddingAgain } from '#src/services/connections/embedding-model-configs.ts';
import { getEmbeddingPlace } from '#src/services/indexes/embedding.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealSecrets } from '#src/services/secrets/secret-fields.ts';
import {
  buildChangedColumns,
  createWriterContext,
  getParsePlace,
  openParameters,
  resolveReferences,
} from './configuration.ts';
import type { PipelineChanges } from './input.ts';
import { getWritablePipeline } from './pipelines.ts';
import { startSync } from './sync.ts';

const MAX_NAME_CHARACTERS = 3000;

const ROWS_PER_COPY = 5_000;

/** Copies a pipeline with its files, texts, sync schedules and retrieval presets. A sync then builds the copy's own index. */
export async function copyPipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const source = await getWritablePipeline(ctx, id);
  const copyId = newId();
  const { createdAt: _created, updatedAt: _updated, ...columns } = source;
  const values = { ...columns, id: copyId, ...(await sealSecretsForCopy(ctx, source, copyId)) };
  const copy = await insertWithFreeName(ctx, source, values);
  const copied = new Set<string>();
  await copyDocumentTexts(ctx, source, copy, copied);
  await copyDataSources(ctx, source.id, copy.id);
  await copyMembers(ctx, source.id, copy.id);
  await copyPresets(ctx, source.id, copy.id);
  // Texts are copied again, because the copied rows may refer to texts that were written in the meantime.
  await copyDocumentTexts(ctx, source, copy, copied);
  await ctx.objects.pipelineSync(copy.id).schedule(copy.id);
  await startSync(ctx, copy.id, { reason: 'copy' });
  return copy;
}

/**
 * Copies a pipeline with other indexing settings for a sweep, and starts to index the copy. Users do not see the copy.
 * It has no data sources, so its documents stay as they are. Nothing is inserted unless `isWanted` holds. May be
 * repeated after an interruption.
 */
export async function copyForSweep(
  caller: TenantContext,
  sourceId: string,
  copy: { id: string; sweepId: string; name: string; variant: SweepVariant; isWanted: SQL },
): Promise<void> {
  const source = await getWritablePipeline(caller, sourceId);
  const ctx = await createWriterContext(caller, source.projectId);
  const { chunk_size, embedding_model_config_id } = copy.variant;
  const changes: PipelineChanges = {
    ...(chunk_size && { transform_config: transformConfig.parse({ mode: 'auto', chunk_size }) }),
    ...(embedding_model_config_id && { embedding_model_config_id }),
  };
  const references = await resolveReferences(ctx, changes);
  const changed = await buildChangedColumns(ctx, source, changes, references);
  const kept = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const now = new Date();
  const row: Pipeline = {
    ...{ ...source, ...(await sealSecretsForCopy(ctx, source, copy.id)), ...kept },
    ...{ id: copy.id, sweepId: copy.sweepId, name: copy.name, createdAt: now, updatedAt: now },
  };
  await buildConditionalInsert(ctx, createConditionalRow(pipelines, row, copy.isWanted));
  if ((await ctx.db.$count(pipelines, eq(pipelines.id, copy.id))) === 0) return;
  await copyDocumentTexts(ctx, source, row, new Set());
  await copyMembers(ctx, source.id, copy.id);
  await ctx.objects.pipelineSync(copy.id).start(copy.id, { reason: 'copy' });
}

/**
 * Encrypts the secrets of the pipeline again for the copy, because encrypted values are bound to their row.
 */
async function sealSecretsForCopy(ctx: TenantContext, source: Pipeline, copyId: string) {
  const ring = parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const parsing = await openParameters(ctx, source);
  const embedding = await openEmbedding(ctx, source.embeddingConfig, getEmbeddingPlace(source.id));
  return {
    parseParameters: await sealSecrets(parseParameters, parsing, ring, getParsePlace(copyId)),
    embeddingConfig: source.embeddingModelConfigId
      ? source.embeddingConfig
      : await sealEmbeddingAgain(ctx, embedding, getEmbeddingPlace(copyId)),
  };
}

/** Inserts the copy under the first free name, such as "<name> (copy)" or "<name> (copy 2)". */
async function insertWithFreeName(
  ctx: TenantContext,
  source: Pipeline,
  values: Omit<typeof pipelines.$inferInsert, 'name'>,
): Promise<Pipeline> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? ' (copy)' : ` (copy ${number})`;
    const name = source.name.slice(0, MAX_NAME_CHARACTERS - suffix.length) + suffix;
    const [row] = await ctx.db
      .insert(pipelines)
      .values({ ...values, name })
      .onConflictDoNothing()
      .returning();
    if (row) return row;
  }
}

async function copyDocumentTexts(
  ctx: TenantContext,
  source: Pipeline,
  copy: Pipeline,
  copied: Set<string>,
): Promise<void> {
  const from = keys.pipeline(source.projectId, source.id);
  const to = keys.pipeline(copy.projectId, copy.id);
  let cursor: string | undefined;
  do {
    const page = await ctx.bucket.list({ prefix: from, ...(cursor && { cursor }) });
    for (const { key } of page.objects) {
      if (copied.has(key)) continue;
      copied.add(key);
      const object = await ctx.bucket.get(key);
      if (object) await ctx.bucket.put(to + key.slice(from.length), await object.arrayBuffer());
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
}

async function copyDataSources(ctx: TenantContext, from: string, to: string): Promise<void> {
  await ctx.db.run(sql`insert into pipeline_data_sources
    (id, pipeline_id, data_source_id, sync_interval, sync_schedule_set_by, created_at, updated_at)
    select ${SIMILAR_ID}, ${to}, data_source_id, sync_interval, sync_schedule_set_by, created_at, ${Date.now()}
    from pipeline_data_sources where pipeline_id = ${from}`);
}

/** Copies the rows inside the database, because a pipeline may have more files than a request can carry. */
async function copyMembers(ctx: TenantContext, from: string, to: string): Promise<void> {
  const now = Date.now();
  const columns = sql.raw(MEMBER_COLUMNS.join(', '));
  for (let after = ''; ; ) {
    const ofSource = sql`pipeline_id = ${from} and document_id > ${after}`;
    const page = sql`select document_id as id from pipeline_members where ${ofSource}
      order by document_id limit ${ROWS_PER_COPY}`;
    const [last] = await ctx.db.all<{ id: string | null }>(sql`select max(id) as id from (${page})`);
    if (!last?.id) return;
    await ctx.db.run(sql`insert or ignore into pipeline_members
      (id, pipeline_id, described_at, updated_at, ${columns})
      select ${SIMILAR_MEMBER_ID}, ${to}, ${now}, ${now}, ${columns}
      from pipeline_members where ${ofSource} and document_id <= ${last.id}`);
    after = last.id;
  }
}

async function copyPresets(ctx: TenantContext, from: string, to: string): Promise<void> {
  await ctx.db.run(sql`insert into retrieval_presets
    (id, pipeline_id, name, parameters, is_chosen, created_at, updated_at)
    select ${SIMILAR_ID}, ${to}, name, parameters, is_chosen, created_at, ${Date.now()}
    from retrieval_presets where pipeline_id = ${from}`);
}

/** Columns of a file or text that are copied. Results of indexing are not copied. */
const MEMBER_COLUMNS = [
  'kind',
  'document_id',
  'file_id',
  'data_source_id',
  'custom_metadata',
  'table_metadata',
  'content_hash',
  'text_id',
  'text',
  'metadata',
  'excluded_embed_metadata_keys',
  'excluded_llm_metadata_keys',
  'page_positions',
  'disabled_chunks',
  'chunk_metadata',
  'created_at',
];

/**
 * SQL for the id of a copied row. The new id has the same time and counter as the original id, so both sort
 * in the same order.
 */
const SIMILAR_ID = sql`substr(id, 1, 19) || lower('a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/** SQL for the id of a copied file or text. The id of a text may be a short one, whose random part is longer in copies. */
const SIMILAR_MEMBER_ID = sql`case length(id) when 36 then ${SIMILAR_ID}
  else substr(id, 1, 10) || lower(hex(randomblob(8))) end`;
