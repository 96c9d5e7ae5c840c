import { and, asc, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { TenantContext } from '../../context.ts';
import { files, pipelineFiles } from '../../db/schema/index.ts';
import { Invalid, NotFound } from '../../errors.ts';
import { bareId, newId } from '../../ids.ts';
import { removeFromIndexes } from '../indexes.ts';
import { withinScope } from '../scope.ts';
import { getPipeline, getWritablePipeline } from './pipelines.ts';

export interface NewPipelineFile {
  file_id: string;
  custom_metadata?: Record<string, unknown> | null;
}

/** SQL takes 100 parameters a statement; a row of this table has about ten. */
const ROWS_PER_INSERT = 9;
const IDS_PER_QUERY = 90;

export interface PipelineFile {
  membership: typeof pipelineFiles.$inferSelect;
  file: typeof files.$inferSelect;
}

/** Adds files, or changes the metadata of those that are in already. All of them or, when one is wrong, none. */
export async function addPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  input: NewPipelineFile[],
): Promise<PipelineFile[]> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const byId = new Map(input.map((each) => [bareId(each.file_id), each]));
  const fileIds = [...byId.keys()];
  await requireFiles(ctx, pipeline.projectId, input);
  const now = new Date();
  const rows = fileIds.map((fileId) => ({
    id: newId(),
    pipelineId: pipeline.id,
    fileId,
    customMetadata: byId.get(fileId)?.custom_metadata ?? null,
    describedAt: now,
  }));
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    for (const row of rows.slice(from, from + ROWS_PER_INSERT)) {
      const { customMetadata, describedAt } = row;
      const given = byId.get(row.fileId)?.custom_metadata !== undefined;
      const insert = ctx.db.insert(pipelineFiles).values(row);
      const target = [pipelineFiles.pipelineId, pipelineFiles.fileId];
      if (given) await insert.onConflictDoUpdate({ target, set: { customMetadata, describedAt } });
      else await insert.onConflictDoNothing();
    }
  }
  return readPipelineFiles(ctx, pipeline.id, fileIds);
}

async function requireFiles(ctx: TenantContext, projectId: string, input: NewPipelineFile[]): Promise<void> {
  const known = new Set<string>();
  const wanted = input.map((each) => bareId(each.file_id));
  for (let from = 0; from < wanted.length; from += IDS_PER_QUERY) {
    const rows = await ctx.db
      .select({ id: files.id })
      .from(files)
      .where(
        and(
          inArray(files.id, wanted.slice(from, from + IDS_PER_QUERY)),
          eq(files.projectId, projectId),
          withinScope(ctx, files.projectId),
        ),
      );
    for (const row of rows) known.add(row.id);
  }
  const issues = wanted.flatMap((id, position) =>
    known.has(id)
      ? []
      : [
          {
            loc: ['body', position, 'file_id'],
            msg: `no file ${id} in the pipeline's project`,
            type: 'value_error',
          },
        ],
  );
  if (issues.length > 0) throw new Invalid(issues);
}

async function readPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  fileIds: string[],
): Promise<PipelineFile[]> {
  const found: PipelineFile[] = [];
  for (let from = 0; from < fileIds.length; from += IDS_PER_QUERY) {
    found.push(
      ...(await ctx.db
        .select({ membership: getTableColumns(pipelineFiles), file: getTableColumns(files) })
        .from(pipelineFiles)
        .innerJoin(files, eq(files.id, pipelineFiles.fileId))
        .where(
          and(
            eq(pipelineFiles.pipelineId, pipelineId),
            inArray(pipelineFiles.fileId, fileIds.slice(from, from + IDS_PER_QUERY)),
          ),
        )),
    );
  }
  const order = new Map(fileIds.map((id, position) => [id, position]));
  return found.sort((a, b) => order.get(a.file.id)! - order.get(b.file.id)!);
}

export async function listPipelineFiles(ctx: TenantContext, pipelineId: string): Promise<PipelineFile[]> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return ctx.db
    .select({ membership: getTableColumns(pipelineFiles), file: getTableColumns(files) })
    .from(pipelineFiles)
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .where(eq(pipelineFiles.pipelineId, pipeline.id))
    .orderBy(asc(pipelineFiles.createdAt), asc(pipelineFiles.id));
}

/** From the return on, no query of the pipeline finds the file. */
export async function removePipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const removed = await ctx.db
    .delete(pipelineFiles)
    .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, id)))
    .returning({ id: pipelineFiles.id });
  if (removed.length === 0) throw new NotFound('Pipeline file', fileId);
  await removeFromIndexes(ctx, pipeline.id, [id]);
}

/** Changes what the client says of a file; a sync brings it to the index. Null or absent clears it. */
export async function describePipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
  customMetadata: Record<string, unknown> | null,
): Promise<PipelineFile> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const updated = await ctx.db
    .update(pipelineFiles)
    .set({ customMetadata, describedAt: new Date() })
    .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, id)))
    .returning({ id: pipelineFiles.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}

/** Has a file tried again, also one whose last attempt failed for a reason that no retry was to help. */
export async function retryPipelineFile(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
): Promise<PipelineFile> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const id = bareId(fileId);
  const updated = await ctx.db
    .update(pipelineFiles)
    .set({ failedFingerprint: null })
    .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, id)))
    .returning({ id: pipelineFiles.id });
  if (updated.length === 0) throw new NotFound('Pipeline file', fileId);
  await ctx.objects
    .pipelineSync(pipeline.id)
    .start(pipeline.id, { reason: 'request', sources: [], fileIds: [id] });
  return (await readPipelineFiles(ctx, pipeline.id, [id]))[0]!;
}
