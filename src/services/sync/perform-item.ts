import { eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { fittingIndex, openIndexes } from '#src/services/indexes/indexes.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import { shapeOf } from './difference.ts';
import { indexFile, parsePages } from './index-file.ts';
import { indexTextDocument } from './index-text-document.ts';
import { NOTHING } from './item-result.ts';
import { readSourcePage } from './sources.ts';
import type { Granted, Work } from './work.ts';

/**
 * Does one item. Failures that no retry can help are written to the file or document and returned;
 * everything else is thrown, for the owner to try again.
 */
export async function performItem(
  ctx: Context,
  pipelineId: string,
  claim: Granted,
  checkpoint: Work['checkpoint'],
): Promise<Outcome | { parts: WorkItem[] }> {
  const [[pipeline], open] = await ctx.db.batch([
    ctx.db.select().from(pipelines).where(eq(pipelines.id, pipelineId)),
    openIndexes(ctx, pipelineId),
  ]);
  if (!pipeline || pipeline.status === 'DELETING') return NOTHING;
  const { item } = claim;
  if (item.kind === 'source') return readSourcePage(ctx, pipeline, item, claim);
  if (item.kind === 'removal') {
    await removeFromIndexes(ctx, pipelineId, [item.documentId]);
    return { counters: { removed: 1 } };
  }
  const index = await fittingIndex(ctx, pipeline, open);
  // The configuration was changed while the run was on: the run after it makes the index that fits.
  if (!index) return { counters: { superseded: 1 } };
  const work: Work = { ctx, pipeline, index, shape: await shapeOf(pipeline), claim, checkpoint };
  switch (item.kind) {
    case 'document':
      return indexTextDocument(work, item.documentId);
    case 'pages':
      return parsePages(work, item.fileId, item.range);
    case 'file':
      return indexFile(work, item.fileId);
  }
}
