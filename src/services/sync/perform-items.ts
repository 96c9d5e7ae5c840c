import { eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { toSharedFailure } from '#src/ingest/index.ts';
import { findFittingIndex, selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import { createPageQuota, selectPageLimit, selectPagesLeft } from '#src/services/limits/pages.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import { indexFiles, parsePages } from './index-files.ts';
import type { Result } from './index-members.ts';
import { indexTexts } from './index-texts.ts';
import { NO_OUTCOME } from './item-result.ts';
import { readSourcePage } from './sources.ts';
import { type Granted, openWork, type Work } from './work.ts';

/**
 * Processes the sync items of a claim and returns their results in order. Permanent failures are stored with
 * the file or text. Other failures are returned as rejections, so that the pipeline's Durable Object retries
 * them. Throws if the claim was lost.
 */
export async function performItems(
  ctx: Context,
  pipelineId: string,
  claim: Granted,
  checkpoint: Work['checkpoint'],
): Promise<Result[]> {
  const items = claim.items.map(({ item }) => item);
  const owner = sql`pipelines.project_id`;
  const [[found], open] = await ctx.db.batch([
    ctx.db
      .select({ pipeline: pipelines, limit: selectPageLimit(ctx, owner), left: selectPagesLeft(ctx, owner) })
      .from(pipelines)
      .where(eq(pipelines.id, pipelineId)),
    selectOpenIndexes(ctx, pipelineId),
  ]);
  const pipeline = found?.pipeline;
  const all = (value: { counters: Record<string, number> }) => items.map(() => fulfilled(value));
  if (!pipeline || pipeline.status === 'DELETING') return all(NO_OUTCOME);
  const results = new Map<WorkItem, Result>();
  const perform = async <Item extends WorkItem>(
    some: Item[],
    work: (some: Item[]) => Promise<Map<Item, Result>>,
  ): Promise<void> => {
    if (some.length === 0) return;
    const [done] = await Promise.allSettled([work(some)]);
    await checkpoint();
    for (const item of some) {
      const result =
        done.status === 'fulfilled'
          ? done.value.get(item)!
          : ({ status: 'rejected', reason: toSharedFailure(done.reason, some.length) } as const);
      results.set(item, result);
    }
  };
  const listKind = <Kind extends WorkItem['kind']>(kind: Kind) =>
    items.filter((item): item is Extract<WorkItem, { kind: Kind }> => item.kind === kind);
  const performAlone = async <Item extends WorkItem>(item: Item, work: () => Promise<Outcome>) =>
    perform([item], async () => new Map([[item, fulfilled(await work())]]));

  for (const item of listKind('source'))
    await performAlone(item, () => readSourcePage(ctx, pipeline, item, claim));
  await perform(listKind('removal'), async (removals) => {
    const ids = removals.map(({ documentId }) => documentId);
    await removeFromIndexes(ctx, pipelineId, ids);
    return new Map(removals.map((item) => [item, fulfilled({ counters: { removed: 1 } })]));
  });
  const [pages, files, texts] = [listKind('pages'), listKind('file'), listKind('document')];
  if (pages.length + files.length + texts.length > 0) {
    const index = await findFittingIndex(ctx, pipeline, open);
    // No index fits, because the configuration changed during the run. The next run creates a new index, so
    // these items are skipped.
    if (!index) {
      for (const item of [...pages, ...files, ...texts])
        results.set(item, fulfilled({ counters: { superseded: 1 } }));
    } else {
      const { limit, left } = found;
      const quota =
        limit === null ? undefined : createPageQuota(ctx, pipeline.projectId, { limit, left: left ?? limit });
      const work = await openWork({ ctx, pipeline, index, claim, quota, checkpoint });
      for (const item of pages) await performAlone(item, () => parsePages(work, item.fileId, item.range));
      await perform(files, async (some) => {
        const done = await indexFiles(
          work,
          some.map(({ fileId }) => fileId),
        );
        return new Map(some.map((item) => [item, done.get(item.fileId)!]));
      });
      await perform(texts, async (some) => {
        const done = await indexTexts(
          work,
          some.map(({ documentId }) => documentId),
        );
        return new Map(some.map((item) => [item, done.get(item.documentId)!]));
      });
    }
  }
  return items.map((item) => results.get(item)!);
}

const fulfilled = <Value>(value: Value): PromiseFulfilledResult<Value> => ({ status: 'fulfilled', value });
