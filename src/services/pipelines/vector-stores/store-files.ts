import { and, asc, inArray, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type IdPage, type IdPageQuery, readPageById } from '#src/db/paging-by-id.ts';
import { whereFile, whereFiles } from '#src/db/pipeline-members.ts';
import { type IngestionStatus, pipelineMembers } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { selectPipelineFiles } from '../pipeline-file-lists.ts';
import { addPipelineFiles, type NewPipelineFile, type PipelineFile } from '../pipeline-files.ts';
import { getStorePipeline, requireProjectFiles } from './stores.ts';

/** Returns a file of a vector store. */
export async function getStoreFile(
  ctx: TenantContext,
  storeId: string,
  fileId: string,
): Promise<PipelineFile> {
  const pipeline = await getStorePipeline(ctx, storeId);
  const [found] = await selectPipelineFiles(ctx, whereFile(pipeline.id, bareId(fileId)), {
    by: 'created_at',
    sorted: asc,
  });
  if (!found) throw new NotFound('Vector store file', fileId);
  return found;
}

/** Adds files to a vector store. Either all or none are added. Throws `NotFound` if a file does not exist. */
export async function addStoreFiles(
  ctx: TenantContext,
  storeId: string,
  input: NewPipelineFile[],
): Promise<PipelineFile[]> {
  const pipeline = await getStorePipeline(ctx, storeId);
  const ids = input.map(({ file_id }) => file_id);
  await requireProjectFiles(ctx, pipeline.projectId, ids);
  return addPipelineFiles(ctx, pipeline.id, input);
}

/** Returns a page of the files of a vector store, sorted by the time at which they were added. */
export async function listStoreFiles(
  ctx: TenantContext,
  storeId: string,
  query: IdPageQuery & { statuses?: readonly IngestionStatus[] | undefined },
  within?: SQL,
): Promise<IdPage<PipelineFile>> {
  const pipeline = await getStorePipeline(ctx, storeId);
  const isListed = and(whereFiles(pipeline.id), within);
  const { statuses } = query;
  const hasStatus = statuses && inArray(pipelineMembers.status, [...statuses]);
  return readPageById(query, {
    columns: [pipelineMembers.createdAt, pipelineMembers.id],
    async findKey(id) {
      const isFile = and(isListed, whereFile(pipeline.id, bareId(id)));
      const row = await ctx.db.query.pipelineMembers.findFirst({ where: isFile });
      return row && [row.createdAt.getTime(), row.id];
    },
    read: (where, sorted, limit) =>
      selectPipelineFiles(ctx, and(isListed, hasStatus, where), { by: 'created_at', sorted }).limit(limit),
  });
}
