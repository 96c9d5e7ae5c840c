import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { directoryFiles, files, pipelineMembers, pipelines } from '#src/db/schema/index.ts';
import { BadRequest, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { getDirectory, toDirectoryId } from '#src/services/directories/directories.ts';
import { requireFiles } from '../classification/classify-groups.ts';

export const MAX_BATCH_FILES = 1_000;
/** Statuses of files in a pipeline by which a batch can select them. */
export const FILE_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const;

/** Files of a new batch: their ids, or the pipeline or directory that contains them. */
interface FileSelection {
  file_ids?: string[] | null | undefined;
  pipeline_id?: string | null | undefined;
  pipeline_file_status?: (typeof FILE_STATUSES)[number] | null | undefined;
  directory_id?: string | null | undefined;
}

/** Returns the distinct ids of the files, in the order of the request or by name, and the id of their directory. */
export async function selectFiles(
  ctx: TenantContext,
  { file_ids, pipeline_id, pipeline_file_status, directory_id }: FileSelection,
): Promise<{ fileIds: string[]; directoryId: string | null }> {
  if ([file_ids, pipeline_id, directory_id].filter(Boolean).length !== 1) {
    throw new BadRequest(
      'inputs_invalid: provide either file_ids, pipeline_id or directory_id, and only one of them',
    );
  }
  const directoryId = directory_id ? toDirectoryId(directory_id) : null;
  const fileIds = file_ids
    ? [...new Set(file_ids.map(bareId))]
    : directoryId
      ? await selectDirectoryFiles(ctx, directoryId)
      : await selectPipelineFiles(ctx, bareId(pipeline_id!), pipeline_file_status);
  await requireFiles(ctx, fileIds);
  return { fileIds, directoryId };
}

async function selectDirectoryFiles(ctx: TenantContext, directoryId: string): Promise<string[]> {
  const directory = await getDirectory(ctx, directoryId);
  if (directory.projectId !== ctx.projectId) throw new NotFound('Directory', directoryId);
  const rows = await ctx.db
    .select({ id: files.id })
    .from(directoryFiles)
    .innerJoin(files, eq(files.id, directoryFiles.fileId))
    .where(eq(directoryFiles.directoryId, directoryId))
    .orderBy(directoryFiles.displayName, files.id)
    .limit(MAX_BATCH_FILES + 1);
  return limitFiles(rows, 'directory', '');
}

async function selectPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  status: FileSelection['pipeline_file_status'],
): Promise<string[]> {
  const pipeline = await ctx.db.query.pipelines.findFirst({
    columns: { id: true },
    where: and(eq(pipelines.id, pipelineId), eq(pipelines.projectId, ctx.projectId)),
  });
  if (!pipeline) throw new NotFound('Pipeline', pipelineId);
  const rows = await ctx.db
    .select({ id: files.id })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(
      and(
        eq(pipelineMembers.pipelineId, pipelineId),
        eq(pipelineMembers.kind, 'file'),
        status ? eq(pipelineMembers.status, status) : undefined,
      ),
    )
    .orderBy(files.name, files.id)
    .limit(MAX_BATCH_FILES + 1);
  return limitFiles(rows, 'pipeline', status ? ` with status ${status}` : '');
}

/** Throws BadRequest unless a batch can have all files. */
function limitFiles(rows: { id: string }[], owner: string, which: string): string[] {
  if (rows.length === 0) throw new BadRequest(`inputs_invalid: the ${owner} has no files${which}`);
  if (rows.length > MAX_BATCH_FILES) {
    throw new BadRequest(
      `inputs_invalid: the ${owner} has more than ${MAX_BATCH_FILES} files${which}. Name at most ${MAX_BATCH_FILES} in file_ids.`,
    );
  }
  return rows.map(({ id }) => id);
}
