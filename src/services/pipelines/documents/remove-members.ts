import type { SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelineMembers } from '#src/db/schema/index.ts';
import { deleteFromIndexes } from '#src/services/indexes/removal.ts';

/**
 * Removes the files and texts that the condition `where` selects, so that queries no longer find them.
 * `documentIds` contains their ids. Returns the text id of each removed row, which is null for files.
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
