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

/** Files by their ids, or all that a filter finds: exactly one of the two. */
export interface Selection {
  file_ids?: string[] | null | undefined;
  filter?: PipelineFileFilter | null | undefined;
}

/** A run that is to try more files than this looks at the whole pipeline instead. */
const MOST_NAMED = 1000;
const FILES_PER_REMOVAL = 500;
/** How long a removal goes on with further files before it answers. */
const REMOVAL_MS = 15_000;

/**
 * Has files tried again, also those that failed for a reason no retry was to help; gives how many. A filter that
 * names no states means those that have failed or were cancelled.
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
 * Takes files out of the pipeline, some hundred at a time; no query finds those that it has removed when it returns.
 * It ends after a while: `remaining` are for another call.
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

/** A filter that everything fits is more likely a mistake than meant. */
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

/** The next run tries these also where no retry was to help. */
export const retryUpdate = (ctx: Context, where: SQL | undefined) =>
  ctx.db.update(pipelineMembers).set({ failedFingerprint: null }).where(where);

/** For a statement that names the members alone. */
export const isIn = (where: SQL | undefined) =>
  sql`${pipelineMembers.id} in (select ${pipelineMembers.id} from ${pipelineMembers}
    join ${files} on ${files.id} = ${pipelineMembers.fileId} where ${where})`;
