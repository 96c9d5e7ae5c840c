import { and, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { hasDisabledChunks, pipelineMembers } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import { getPipelineChunk } from './document-chunks.ts';

/** Maximum number of disabled chunks of a pipeline. Every query carries their hashes. */
export const MAX_DISABLED_CHUNKS = 1000;

/**
 * Enables or disables a chunk of a pipeline. Chunks are identified by the hash of their text. All chunks of
 * the document with the same text are changed. A sync keeps the setting as long as the text stays the same.
 */
export async function setChunkEnabled(
  ctx: TenantContext,
  pipelineId: string,
  nodeId: string,
  enabled: boolean,
): ReturnType<typeof getPipelineChunk> {
  const { pipeline, member, chunk } = await getPipelineChunk(ctx, pipelineId, nodeId);
  const { hash } = chunk.chunk;
  const known = sql`select value from json_each(coalesce(${pipelineMembers.disabledChunks}, '[]'))`;
  const hashes = enabled
    ? sql`select value from (${known}) where value <> ${hash}`
    : sql`${known} union select ${hash}`;
  const count = sql`(select count(*) from pipeline_members m, json_each(m.disabled_chunks)
    where m.pipeline_id = ${pipeline.id} and m.${hasDisabledChunks})`;
  const [changed] = await ctx.db
    .update(pipelineMembers)
    .set({ disabledChunks: sql`(select nullif(json_group_array(value), '[]') from (${hashes}))` })
    .where(
      and(
        eq(pipelineMembers.id, member.id),
        enabled ? undefined : sql`(${count} < ${MAX_DISABLED_CHUNKS} or ${hash} in (${known}))`,
      ),
    )
    .returning({ disabledChunks: pipelineMembers.disabledChunks });
  if (!changed) {
    throw new Conflict(
      `Pipeline ${pipeline.id} has ${MAX_DISABLED_CHUNKS} disabled chunks, which is the maximum. Enable others first.`,
    );
  }
  return { pipeline, member: { ...member, ...changed }, chunk };
}
