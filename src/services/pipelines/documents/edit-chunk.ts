import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { hasChunkMetadata, hasDisabledChunks, type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { SERVICE_KEYS } from '#src/ingest/searched-metadata.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import type { MetadataValue } from '#src/ports/index-types.ts';
import { listFlatEntries } from '#src/services/indexes/node-metadata.ts';
import { getPipelineChunk } from './document-chunks.ts';
import type { Member } from './document-members.ts';

/** Maximum number of disabled chunks of a pipeline. Every query carries their hashes. */
export const MAX_DISABLED_CHUNKS = 1000;

/** Maximum size in UTF-8 bytes of the metadata of all chunks of a pipeline. Every query reads this metadata. */
export const MAX_CHUNK_METADATA_BYTES = 256 * 1024;

export interface ChunkChanges {
  enabled?: boolean | undefined;
  /** Metadata that is merged into the metadata of the chunk. Null removes a key that was set earlier. */
  metadata?: Record<string, unknown> | undefined;
}

/** Change of one column of a pipeline member, which is written only if the condition is true. */
interface ColumnChange {
  value: SQL;
  isAllowed: SQL | undefined;
  /** Explains why the condition is false. */
  problem: string;
}

/**
 * Enables or disables a chunk of a pipeline, and changes its metadata. Chunks are identified by the hash of their
 * text. All chunks of the document with the same text are changed. A sync keeps the changes as long as the text stays
 * the same.
 */
export async function editChunk(
  ctx: TenantContext,
  pipelineId: string,
  nodeId: string,
  { enabled, metadata }: ChunkChanges,
): ReturnType<typeof getPipelineChunk> {
  const { pipeline, member, chunk } = await getPipelineChunk(ctx, pipelineId, nodeId);
  const { hash } = chunk.chunk;
  const disabledChunks = enabled === undefined ? undefined : planDisabled(pipeline, hash, enabled);
  const chunkMetadata = metadata && planMetadata(pipeline, member, hash, flattenChanges(metadata));
  if (!disabledChunks && !chunkMetadata) return { pipeline, member, chunk };
  const [changed] = await ctx.db
    .update(pipelineMembers)
    .set({ disabledChunks: disabledChunks?.value, chunkMetadata: chunkMetadata?.value })
    .where(and(eq(pipelineMembers.id, member.id), disabledChunks?.isAllowed, chunkMetadata?.isAllowed))
    .returning({
      disabledChunks: pipelineMembers.disabledChunks,
      chunkMetadata: pipelineMembers.chunkMetadata,
    });
  if (!changed) {
    const problems = [disabledChunks, chunkMetadata].flatMap((change) => change?.problem ?? []);
    throw new Conflict(problems.join(' Or: '));
  }
  return { pipeline, member: { ...member, ...changed }, chunk };
}

function planDisabled(pipeline: Pipeline, hash: string, enabled: boolean): ColumnChange {
  const known = sql`select value from json_each(coalesce(${pipelineMembers.disabledChunks}, '[]'))`;
  const hashes = enabled
    ? sql`select value from (${known}) where value <> ${hash}`
    : sql`${known} union select ${hash}`;
  const count = sql`(select count(*) from pipeline_members m, json_each(m.disabled_chunks)
    where m.pipeline_id = ${pipeline.id} and m.${hasDisabledChunks})`;
  return {
    value: sql`(select nullif(json_group_array(value), '[]') from (${hashes}))`,
    isAllowed: enabled ? undefined : sql`(${count} < ${MAX_DISABLED_CHUNKS} or ${hash} in (${known}))`,
    problem: `Pipeline ${pipeline.id} has ${MAX_DISABLED_CHUNKS} disabled chunks, which is the maximum. Enable others first.`,
  };
}

/** `json_patch` merges JSON objects as RFC 7396 describes, so that null removes a key. */
function planMetadata(
  pipeline: Pipeline,
  member: Member,
  hash: string,
  changes: [string, MetadataValue][],
): ColumnChange {
  const patch = JSON.stringify({ [hash]: Object.fromEntries(changes) });
  const problem =
    `The metadata of all chunks of pipeline ${pipeline.id} would be larger than ` +
    `${MAX_CHUNK_METADATA_BYTES / 1024} KiB, which is the maximum. Remove other keys first.`;
  // The database rejects statements with values that are much larger.
  if (patch.length > MAX_CHUNK_METADATA_BYTES) throw new Conflict(problem);
  const path = `$."${hash}"`;
  const merged = sql`json_patch(coalesce(${pipelineMembers.chunkMetadata}, '{}'), ${patch})`;
  const value = sql`(select nullif(iif(json_extract(value, ${path}) = '{}', json_remove(value, ${path}), value), '{}')
    from (select ${merged} as value))`;
  const others = sql`(select coalesce(sum(octet_length(m.chunk_metadata)), 0) from pipeline_members m
    where m.pipeline_id = ${pipeline.id} and m.${hasChunkMetadata} and m.id <> ${member.id})`;
  return {
    value,
    isAllowed: sql`(${others} + coalesce(octet_length(${value}), 0) <= ${MAX_CHUNK_METADATA_BYTES})`,
    problem,
  };
}

function flattenChanges(metadata: Record<string, unknown>): [string, MetadataValue][] {
  const entries = listFlatEntries(metadata);
  const reserved = entries.find(([key]) => SERVICE_KEYS.has(key));
  if (reserved) throw Invalid.field(['metadata', reserved[0]], 'is set by the service and cannot be changed');
  return entries;
}
