import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { fileMember, filesOf } from '#src/db/pipeline-members.ts';
import { files, pipelineMembers } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { removeMembers } from './documents/remove-members.ts';
import { type PipelineFileFilter, pipelineFileConditions } from './pipeline-file-lists.ts';
import { getFillablePipeline, getWritablePipeline } from './pipelines.ts';

/** Files by id, or all that match a filter. Exactly one of the two is required. */
export interface Selection {
  file_ids?: string[] | null | undefined;
  filter?: PipelineFileFilter | null | undefined;
}

/** Maximum number of files that a run names. For more it examines the whole pipeline. */
const MOST_NAMED = 1000;
const FILES_PER_REMOVAL = 500;
/** Milliseconds after which a removal returns, even if files remain. */
const REMOVAL_MS = 15_000;

/**
 * Retries files, including permanent failures, and returns their number. A filter without states selects
 * failed and cancelled files.
 */
export async function retryPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  selection: Selection,
): Promise<number> {
  const pipeline = await getFillablePipeline(ctx, pipelineId);
  const { filter } = selection;
  const statuses = filter?.statuses?.length ? filter.statuses : (['ERROR', 'CANCELLED'] as const);
  const where = selected(
    pipeline.id,
    filter ? { filter: { ...filter, statuses: [...statuses] } } : selection,
  );
  const named = await fileIdsOf(ctx, where, MOST_NAMED + 1);
  if (named.length === 0) return 0;
  const isNamed = named.length <= MOST_NAMED;
  const these = isNamed ? and(filesOf(pipeline.id), isOneOf(pipelineMembers.documentId, named)) : isIn(where);
  const { meta } = await retryUpdate(ctx, these);
  await ctx.objects
    .pipelineSync(pipeline.id)
    .start(pipeline.id, { reason: 'request', sources: [], ...(isNamed && { fileIds: named }) });
  return meta.changes;
}

/**
 * Removes files from the pipeline in batches. Removed files are no longer found when this returns. After a
 * time limit `remaining` counts the files for another call.
 */
export async function removePipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  selection: Selection,
): Promise<{ removed: number; remaining: number }> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  requireConditions(selection.filter);
  const where = selected(pipeline.id, selection);
  const end = Date.now() + REMOVAL_MS;
  let removed = 0;
  for (;;) {
    const fileIds = await fileIdsOf(ctx, where, FILES_PER_REMOVAL);
    if (fileIds.length === 0) return { removed, remaining: 0 };
    const these = and(filesOf(pipeline.id), isOneOf(pipelineMembers.documentId, fileIds));
    removed += (await removeMembers(ctx, pipeline.id, fileIds, these)).length;
    if (Date.now() >= end) return { removed, remaining: await countOf(ctx, where) };
  }
}

/** Throws Invalid for a filter without conditions. It would match everything, which is probably a mistake. */
function requireConditions(filter: Selection['filter']): void {
  if (!filter) return;
  const conditions = Object.values(filter).filter(
    (each) => each && (!Array.isArray(each) || each.length > 0),
  );
  if (conditions.length > 0) return;
  throw Invalid.field(
    ['filter'],
    'Value error, name a condition; statuses that name every state mean all files',
  );
}

export function selected(pipelineId: string, { file_ids: ids, filter }: Selection): SQL | undefined {
  if (ids && !filter) {
    return and(filesOf(pipelineId), isOneOf(pipelineMembers.documentId, ids.map(bareId)));
  }
  if (filter && !ids) return pipelineFileConditions(pipelineId, filter);
  throw Invalid.field([], 'Value error, name either file_ids or a filter');
}

const fileIdsOf = async (ctx: Context, where: SQL | undefined, limit: number): Promise<string[]> =>
  (await selectedRows(ctx, where).limit(limit)).map(({ fileId }) => fileId);

const countOf = (ctx: Context, where: SQL | undefined): Promise<number> =>
  ctx.db.$count(selectedRows(ctx, where));

export const selectedRows = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({ fileId: fileMember.fileId })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(where)
    .$dynamic();

/** Marks files so that the next run retries even permanent failures. */
export const retryUpdate = (ctx: Context, where: SQL | undefined) =>
  ctx.db.update(pipelineMembers).set({ failedFingerprint: null }).where(where);

/** Condition for statements that only name the members table. */
export const isIn = (where: SQL | undefined) =>
  sql`${pipelineMembers.id} in (select ${pipelineMembers.id} from ${pipelineMembers}
    join ${files} on ${files.id} = ${pipelineMembers.fileId} where ${where})`;
