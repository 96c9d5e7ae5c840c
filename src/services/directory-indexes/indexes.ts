import { and, desc, eq, getTableColumns, isNull, ne, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type DirectoryIndex, directoryIndexes, type Pipeline, pipelines } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { pipelineParseParameters } from '#src/parse/parameters/parameters.ts';
import { getDirectory, toDirectoryId } from '#src/services/directories/directories.ts';
import { chooseParseConfiguration } from '#src/services/jobs/parse/parse-jobs.ts';
import { deletePipeline } from '#src/services/pipelines/delete.ts';
import { getOverviews, type PipelineOverview } from '#src/services/pipelines/overview.ts';
import { createPipeline } from '#src/services/pipelines/pipelines.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import type { NewDirectoryIndex } from './input.ts';
import { syncDirectoryIndex } from './sync.ts';

/** Pipeline as an index. `row` is null for a pipeline that was not created over a directory. */
export interface IndexView {
  pipeline: Pipeline;
  row: DirectoryIndex | null;
  overview: PipelineOverview;
}

/** Creates a pipeline that indexes the files of a directory, in the project of the directory. */
export async function createDirectoryIndex(
  caller: TenantContext,
  input: NewDirectoryIndex,
): Promise<IndexView> {
  const directory = await getDirectory(caller, input.source_directory_id);
  const ctx = { ...caller, projectId: directory.projectId };
  const name = input.name ?? directory.name;
  const settings = await chooseSettings(ctx, input);
  const { id: pipelineId } = await createNamedPipeline(ctx, name, settings);
  try {
    await ctx.db.insert(directoryIndexes).values({
      pipelineId,
      directoryId: directory.id,
      name,
      description: input.description ?? null,
      syncFrequency: input.sync_frequency ?? 'manual',
    });
    await syncDirectoryIndex(ctx, pipelineId);
  } catch (error) {
    await deletePipeline(ctx, pipelineId);
    throw error;
  }
  return getIndex(ctx, pipelineId);
}

async function chooseSettings(ctx: TenantContext, { products }: NewDirectoryIndex) {
  const [parse] = products ?? [];
  if (!parse) return {};
  const chosen = { configuration_id: parse.product_config_id };
  const { parameters } = await chooseParseConfiguration(ctx, chosen, false);
  const loc = ['body', 'products', 0, 'product_config_id'];
  return { parse_parameters: parseInput(pipelineParseParameters, parameters, loc) };
}

/** Creates a pipeline. Its name gets a suffix if it is taken, because two indexes may have the same name. */
async function createNamedPipeline(
  ctx: TenantContext,
  name: string,
  settings: Awaited<ReturnType<typeof chooseSettings>>,
): Promise<Pipeline> {
  try {
    return await createPipeline(ctx, { name, ...settings });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return createPipeline(ctx, { name: `${name} (${newId().slice(-12)})`, ...settings });
  }
}

const selectIndexes = (ctx: TenantContext, where: SQL | undefined) =>
  ctx.db
    .select({ pipeline: getTableColumns(pipelines), row: getTableColumns(directoryIndexes) })
    .from(pipelines)
    .leftJoin(directoryIndexes, eq(directoryIndexes.pipelineId, pipelines.id))
    .where(and(isNull(pipelines.sweepId), ne(pipelines.status, 'DELETING'), where))
    .orderBy(desc(pipelines.createdAt), desc(pipelines.id))
    .$dynamic();

async function addOverviews(
  ctx: TenantContext,
  found: { pipeline: Pipeline; row: DirectoryIndex | null }[],
): Promise<IndexView[]> {
  const ids = found.map(({ pipeline }) => pipeline.id);
  const overviews = await getOverviews(ctx, ids, ['status', 'counts']);
  return found.map((each) => ({ ...each, overview: overviews.get(each.pipeline.id)! }));
}

/** Returns an index by the id of its pipeline, with or without the prefix `idx-`. */
export async function getIndex(ctx: TenantContext, id: string): Promise<IndexView> {
  const own = and(eq(pipelines.id, bareId(id)), withinScope(ctx, pipelines.projectId));
  const [view] = await addOverviews(ctx, await selectIndexes(ctx, own));
  if (!view) throw new NotFound('Index', id);
  return view;
}

/** Returns one page of the indexes of the project, newest first. */
export async function getIndexPage(
  ctx: TenantContext,
  query: {
    source_directory_id?: string | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<IndexView>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const { source_directory_id: directoryId } = query;
  const where = and(
    eq(pipelines.projectId, ctx.projectId),
    directoryId ? eq(directoryIndexes.directoryId, toDirectoryId(directoryId)) : undefined,
    afterKey([pipelines.createdAt, pipelines.id], key, 'desc'),
  );
  const rows = await selectIndexes(ctx, where).limit(pageSize + 1);
  const page = buildPage(rows, pageSize, ({ pipeline }) => [pipeline.createdAt.getTime(), pipeline.id]);
  return { ...page, items: await addOverviews(ctx, page.items) };
}

export async function deleteIndex(ctx: TenantContext, id: string): Promise<void> {
  const { pipeline } = await getIndex(ctx, id);
  await deletePipeline(ctx, pipeline.id);
}

export async function syncIndex(ctx: TenantContext, id: string): Promise<IndexView> {
  const { pipeline } = await getIndex(ctx, id);
  await syncDirectoryIndex(ctx, pipeline.id);
  return getIndex(ctx, pipeline.id);
}
