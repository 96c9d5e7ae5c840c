import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { fileMemberColumns, whereFiles } from '#src/db/pipeline-members.ts';
import { files, pipelineMembers } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { removeMembers } from './documents/remove-members.ts';
import { buildPipelineFileConditions, type PipelineFileFilter } from './pipeline-file-lists.ts';
import { getPipelineForInserts, getWritablePipeline } from './pipelines.ts';

/** Selected files: either their ids, or a filter that they match. Exactly one of the two is required. */
export interface Selection {
  file_ids?: string[] | null | undefined;
  filter?: PipelineFileFilter | null | undefined;
}

/**
 * Maximum number of file ids that are passed to a sync run. With more files, the run compares the whole
 * pipeline.
 */
const MAX_NAMED = 1000;
const FILES_PER_REMOVAL = 500;
/** Time in milliseconds after which a removal of files returns, even if files remain. */
const REMOVAL_MS = 15_000;

/**
 * Indexes the selected files again, including permanent failures, and returns their number. A filter without
 * statuses selects failed and cancelled files.
 */
export async function retryPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  selection: Selection,
): Promise<number> {
  const pipeline = await getPipelineForInserts(ctx, pipelineId);
  const { filter } = selection;
  const statuses = filter?.statuses?.length ? filter.statuses : (['ERROR', 'CANCELLED'] as const);
  const where = whereSelected(
    pipeline.id,
    filter ? { filter: { ...filter, statuses: [...statuses] } } : selection,
  );
  const named = await listFileIds(ctx, where, MAX_NAMED + 1);
  if (named.length === 0) return 0;
  const isNamed = named.length <= MAX_NAMED;
  const these = isNamed
    ? and(whereFiles(pipeline.id), isInList(pipelineMembers.documentId, named))
    : whereIdSelected(where);
  const { meta } = await buildRetryUpdate(ctx, these);
  await ctx.objects
    .pipelineSync(pipeline.id)
    .start(pipeline.id, { reason: 'request', sources: [], ...(isNamed && { fileIds: named }) });
  return meta.changes;
}

/**
 * Removes the selected files from the pipeline in batches. When this returns, queries do not find removed
 * files any more. After a time limit, `remaining` is the number of files that need another call.
 */
export async function removePipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  selection: Selection,
): Promise<{ removed: number; remaining: number }> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  requireConditions(selection.filter);
  const where = whereSelected(pipeline.id, selection);
  const end = Date.now() + REMOVAL_MS;
  let removed = 0;
  for (;;) {
    const fileIds = await listFileIds(ctx, where, FILES_PER_REMOVAL);
    if (fileIds.length === 0) return { removed, remaining: 0 };
    const these = and(whereFiles(pipeline.id), isInList(pipelineMembers.documentId, fileIds));
    removed += (await removeMembers(ctx, pipeline.id, fileIds, these)).length;
    if (Date.now() >= end) return { removed, remaining: await countFiles(ctx, where) };
  }
}

/**
 * Throws Invalid if a filter has no conditions. Such a filter would match all files, which is probably a
 * mistake.
 */
function requireConditions(filter: Selection['filter']): void {
  if (!filter) return;
  const conditions = Object.values(filter).filter(
    (each) => each && (!Array.isArray(each) || each.length > 0),
  );
  if (conditions.length > 0) return;
  throw Invalid.field(
    ['filter'],
    'Value error, the filter needs a condition; to select all files, list every status',
  );
}

export function whereSelected(pipelineId: string, { file_ids: ids, filter }: Selection): SQL | undefined {
  if (ids && !filter) {
    return and(whereFiles(pipelineId), isInList(pipelineMembers.documentId, ids.map(bareId)));
  }
  if (filter && !ids) return buildPipelineFileConditions(pipelineId, filter);
  throw Invalid.field([], 'Value error, provide either file_ids or filter');
}

const listFileIds = async (ctx: Context, where: SQL | undefined, limit: number): Promise<string[]> =>
  (await selectFiles(ctx, where).limit(limit)).map(({ fileId }) => fileId);

const countFiles = (ctx: Context, where: SQL | undefined): Promise<number> =>
  ctx.db.$count(selectFiles(ctx, where));

export const selectFiles = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({ fileId: fileMemberColumns.fileId })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(where)
    .$dynamic();

/** Returns the statement that marks files so that the next run retries them even after permanent failures. */
export const buildRetryUpdate = (ctx: Context, where: SQL | undefined) =>
  ctx.db.update(pipelineMembers).set({ failedFingerprint: null }).where(where);

/** Converts the condition so that statements can use it that access only the table `pipeline_members`. */
export const whereIdSelected = (where: SQL | undefined) =>
  sql`${pipelineMembers.id} in (select ${pipelineMembers.id} from ${pipelineMembers}
    join ${files} on ${files.id} = ${pipelineMembers.fileId} where ${where})`;
