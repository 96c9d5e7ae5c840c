import type { SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelineMembers } from '#src/db/schema/index.ts';
import { deleteFromIndexes } from '#src/services/indexes/removal.ts';

/**
 * Removes the members that `where` selects. `documentIds` are their ids. Once this returns, no query finds
 * them. Returns the text id of each removed member; null for files.
 */
export function removeMembers(
  ctx: Context,
  pipelineId: string,
  documentIds: string[],
  where: SQL | undefined,
): Promise<{ textId: string | null }[]> {
  return deleteFromIndexes(ctx, [pipelineId], documentIds, () =>
    ctx.db.delete(pipelineMembers).where(where).returning({ textId: pipelineMembers.textId }),
  );
}
