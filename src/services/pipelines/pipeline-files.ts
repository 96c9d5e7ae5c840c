import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { type FileMember, fileMember, filesOf, isFileOf } from '#src/db/pipeline-members.ts';
import { rowsToInsert } from '#src/db/rows.ts';
import { files, pipelineMembers } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { fileItem, firstOf } from '#src/work/sync-items.ts';
import { removeMembers } from './documents/remove-members.ts';
import { getFillablePipeline, getWritablePipeline } from './pipelines.ts';

export interface NewPipelineFile {
  file_id: string;
  custom_metadata?: Record<string, unknown> | null;
}

export interface PipelineFile {
  member: FileMember;
  file: typeof files.$inferSelect;
}

/** Adds files, or changes the metadata of existing ones, and indexes them. Adds all or none. */
export async function addPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  input: NewPipelineFile[],
): Promise<PipelineFile[]> {
  const pipeline = await getFillablePipeline(ctx, pipelineId);
  const byId = new Map(input.map((each) => [bareId(each.file_id), each]));
  const fileIds = [...byId.keys()];
  await requireFiles(ctx, pipeline.projectId, input);
  const now = new Date();
  const rows = [...byId].map(([fileId, { custom_metadata }]) => ({
    id: newId(),
    pipelineId: pipeline.id,
    kind: 'file' as const,
    documentId: fileId,
    fileId,
    customMetadata: custom_metadata ?? null,
    describedAt: now,
    createdAt: now,
  }));
  const isDescribed = ({ fileId }: { fileId: string }) => byId.get(fileId)?.custom_metadata !== undefined;
  const target = [pipelineMembers.pipelineId, pipelineMembers.documentId, pipelineMembers.kind];
  const set = { customMetadata: sql`excluded.custom_metadata`, describedAt: now };
  const [first, ...more] = [
    ...insertsOf(ctx, rows.filter(isDescribed)).map((insert) => insert.onConflictDoUpdate({ target, set })),
    ...insertsOf(
      ctx,
      rows.filter((row) => !isDescribed(row)),
    ).map((insert) => insert.onConflictDoNothing()),
  ];
  if (!first) return [];
  try {
    await ctx.db.batch([first, ...more]);
  } catch (error) {
    // Reports a file or pipeline that was deleted in the meantime.
    await getWritablePipeline(ctx, pipelineId);
    await requireFiles(ctx, pipeline.projectId, input);
    throw error;
  }
  // Clients of the original stop waiting for a file after two seconds.
  const patient = !ctx.asOriginal;
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, {
    reason: 'change',
    patient,
    ...firstOf(fileIds.map((fileId) => fileItem(fileId))),
  });
  return readPipelineFiles(ctx, pipeline.id, fileIds);
}

const insertsOf = (ctx: TenantContext, rows: (typeof pipelineMembers.$inferInsert)[]) =>
  rowsToInsert(pipelineMembers, rows).map((page) => ctx.db.insert(pipelineMembers).select(page));

async function requireFiles(ctx: TenantContext, projectId: string, input: NewPipelineFile[]): Promise<void> {
  const wanted = input.map((each) => bareId(each.file_id));
  const rows = await ctx.db
    .select({ id: files.id })
    .from(files)
    .where(and(isOneOf(files.id, wanted), eq(files.projectId, projectId), withinScope(ctx, files.projectId)));
  const known = new Set(rows.map(({ id }) => id));
  const issues = wanted.flatMap((id, position) => {
    const msg = `no file ${id} in the pipeline's project`;
    return known.has(id) ? [] : [{ loc: ['body', position, 'file_id'], msg, type: 'value_error' }];
  });
  if (issues.length > 0) throw new Invalid(issues);
}

/** Returns the files in the order of the ids. */
async function readPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  fileIds: string[],
): Promise<PipelineFile[]> {
  const found = await ctx.db
    .select({ member: fileMember, file: getTableColumns(files) })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(and(filesOf(pipelineId), isOneOf(pipelineMembers.documentId, fileIds)));
  const order = new Map(fileIds.map((id, position) => [id, position]));
  return found.sort((a, b) => order.get(a.file.id)! - order.get(b.file.id)!);
}

/** Removes a file. Once this returns, no query of the pipeline finds it. */
export async function removePipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const isMember = isFileOf(pipeline.id, id);
  if ((await ctx.db.$count(pipelineMembers, isMember)) === 0) throw new NotFound('Pipeline file', fileId);
  await removeMembers(ctx, pipeline.id, [id], isMember);
}

/**
 * Replaces the metadata that the client has set for a file; null clears it. A sync brings the change to the
 * index.
 */
export async function describePipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
  customMetadata: Record<string, unknown> | null,
): Promise<PipelineFile> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const updated = await ctx.db
    .update(pipelineMembers)
    .set({ customMetadata, describedAt: new Date() })
    .where(isFileOf(pipeline.id, id))
    .returning({ id: pipelineMembers.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}

/** Retries a file, even after a permanent failure. */
export async function retryPipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
): Promise<PipelineFile> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const updated = await ctx.db
    .update(pipelineMembers)
    .set({ failedFingerprint: null })
    .where(isFileOf(pipeline.id, id))
    .returning({ id: pipelineMembers.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects
    .pipelineSync(pipeline.id)
    .start(pipeline.id, { reason: 'request', sources: [], fileIds: [id] });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}
