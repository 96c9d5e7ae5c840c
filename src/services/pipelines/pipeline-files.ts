import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { type FileMember, fileMemberColumns, whereFile, whereFiles } from '#src/db/pipeline-members.ts';
import { buildInsertSelects } from '#src/db/rows.ts';
import { files, pipelineMembers } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { fileItem, prioritizeItems } from '#src/work/sync-items.ts';
import { removeMembers } from './documents/remove-members.ts';
import { getPipelineForInserts, getWritablePipeline } from './pipelines.ts';

export interface NewPipelineFile {
  file_id: string;
  custom_metadata?: Record<string, unknown> | null;
}

export interface PipelineFile {
  member: FileMember;
  file: typeof files.$inferSelect;
}

/**
 * Adds files to a pipeline and indexes them. Either all or none are added. If the pipeline already contains a
 * file, updates its metadata.
 */
export async function addPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  input: NewPipelineFile[],
): Promise<PipelineFile[]> {
  const pipeline = await getPipelineForInserts(ctx, pipelineId);
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
    ...buildInserts(ctx, rows.filter(isDescribed)).map((insert) =>
      insert.onConflictDoUpdate({ target, set }),
    ),
    ...buildInserts(
      ctx,
      rows.filter((row) => !isDescribed(row)),
    ).map((insert) => insert.onConflictDoNothing()),
  ];
  if (!first) return [];
  try {
    await ctx.db.batch([first, ...more]);
  } catch (error) {
    // If a file or the pipeline was deleted in the meantime, these checks throw an error that names it.
    await getWritablePipeline(ctx, pipelineId);
    await requireFiles(ctx, pipeline.projectId, input);
    throw error;
  }
  // LlamaCloud clients stop waiting for a file after two seconds, so the sync starts at once for them.
  const patient = !ctx.asOriginal;
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, {
    reason: 'change',
    patient,
    ...prioritizeItems(fileIds.map((fileId) => fileItem(fileId))),
  });
  return readPipelineFiles(ctx, pipeline.id, fileIds);
}

const buildInserts = (ctx: TenantContext, rows: (typeof pipelineMembers.$inferInsert)[]) =>
  buildInsertSelects(pipelineMembers, rows).map((page) => ctx.db.insert(pipelineMembers).select(page));

async function requireFiles(ctx: TenantContext, projectId: string, input: NewPipelineFile[]): Promise<void> {
  const wanted = input.map((each) => bareId(each.file_id));
  const rows = await ctx.db
    .select({ id: files.id })
    .from(files)
    .where(
      and(isInList(files.id, wanted), eq(files.projectId, projectId), withinScope(ctx, files.projectId)),
    );
  const known = new Set(rows.map(({ id }) => id));
  const issues = wanted.flatMap((id, position) => {
    const msg = `no file ${id} in the pipeline's project`;
    return known.has(id) ? [] : [{ loc: ['body', position, 'file_id'], msg, type: 'value_error' }];
  });
  if (issues.length > 0) throw new Invalid(issues);
}

async function readPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  fileIds: string[],
): Promise<PipelineFile[]> {
  const found = await ctx.db
    .select({ member: fileMemberColumns, file: getTableColumns(files) })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(and(whereFiles(pipelineId), isInList(pipelineMembers.documentId, fileIds)));
  const order = new Map(fileIds.map((id, position) => [id, position]));
  return found.sort((a, b) => order.get(a.file.id)! - order.get(b.file.id)!);
}

/** Removes a file from a pipeline. When this returns, queries do not find the file any more. */
export async function removePipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const isMember = whereFile(pipeline.id, id);
  if ((await ctx.db.$count(pipelineMembers, isMember)) === 0) throw new NotFound('Pipeline file', fileId);
  await removeMembers(ctx, pipeline.id, [id], isMember);
}

/** Replaces the metadata that a client has set for a file. Null removes it. A sync then updates the index. */
export async function setPipelineFileMetadata(
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
    .where(whereFile(pipeline.id, id))
    .returning({ id: pipelineMembers.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}

/** Indexes a file again, even after a permanent failure. */
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
    .where(whereFile(pipeline.id, id))
    .returning({ id: pipelineMembers.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects
    .pipelineSync(pipeline.id)
    .start(pipeline.id, { reason: 'request', sources: [], fileIds: [id] });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}
