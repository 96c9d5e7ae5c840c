import { and, eq, inArray, isNotNull, max, notExists, notInArray, type SQL } from 'drizzle-orm';
import { union } from 'drizzle-orm/sqlite-core';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import {
  classifyJobs,
  dataSinks,
  dataSources,
  embeddingModelConfigs,
  extractJobs,
  files,
  parseJobs,
  parses,
  pipelineDataSources,
  pipelineMembers,
  pipelines,
  projects,
  usageRecords,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import { inUse } from '#src/services/connections/in-use.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { expectProjectLeftovers } from '#src/services/files/leftovers.ts';
import { eraseJobs } from '#src/services/jobs/erase.ts';
import { deletePipeline } from '#src/services/pipelines/delete.ts';

/** Rows that one statement deletes: a project may have hundreds of thousands, and a query has 30 s. */
const ROWS_PER_DELETE = 5_000;

/** Tables with many rows a project; those of all others go with the project's own row. */
const BULKY = [files, parses, extractJobs, classifyJobs, parseJobs, usageRecords, webhookDeliveries] as const;

/** Pipelines that are looked up at once; deleting one takes many calls. */
const PIPELINES_PER_ROUND = 50;

/**
 * Deletes the projects that `which` selects with all they own: pipelines and their indexes, objects, rows.
 * Refused when pipelines of other projects use what is theirs. May be repeated from any point.
 */
export async function eraseProjects(ctx: TenantContext, which: SQL): Promise<void> {
  const users = await usersFromOutside(ctx, which);
  if (users.length > 0) throw inUse('project', users);
  // All pipelines before any project: pipelines of one may use connections of another.
  await erasePipelines(ctx, which);
  for (const { id } of await ctx.db.select({ id: projects.id }).from(projects).where(which)) {
    await eraseProject(ctx, id);
  }
}

function usersFromOutside(ctx: TenantContext, which: SQL): Promise<{ name: string }[]> {
  const owned = ctx.db.select({ id: projects.id }).from(projects).where(which);
  const name = { name: pipelines.name };
  const outside = notInArray(pipelines.projectId, owned);
  return union(
    ctx.db
      .select(name)
      .from(dataSinks)
      .innerJoin(pipelines, eq(pipelines.dataSinkId, dataSinks.id))
      .where(and(inArray(dataSinks.projectId, owned), outside)),
    ctx.db
      .select(name)
      .from(embeddingModelConfigs)
      .innerJoin(pipelines, eq(pipelines.embeddingModelConfigId, embeddingModelConfigs.id))
      .where(and(inArray(embeddingModelConfigs.projectId, owned), outside)),
    ctx.db
      .select(name)
      .from(dataSources)
      .innerJoin(pipelineDataSources, eq(pipelineDataSources.dataSourceId, dataSources.id))
      .innerJoin(pipelines, eq(pipelines.id, pipelineDataSources.pipelineId))
      .where(and(inArray(dataSources.projectId, owned), outside)),
    ctx.db
      .select(name)
      .from(files)
      .innerJoin(pipelineMembers, eq(pipelineMembers.fileId, files.id))
      .innerJoin(pipelines, eq(pipelines.id, pipelineMembers.pipelineId))
      .where(and(inArray(files.projectId, owned), outside)),
  );
}

async function erasePipelines(ctx: TenantContext, which: SQL): Promise<void> {
  const owned = ctx.db.select({ id: projects.id }).from(projects).where(which);
  for (;;) {
    const found = await ctx.db
      .select({ id: pipelines.id })
      .from(pipelines)
      .where(inArray(pipelines.projectId, owned))
      .limit(PIPELINES_PER_ROUND);
    if (found.length === 0) return;
    for (const { id } of found) await deletePipeline(ctx, id, { force: true });
  }
}

async function eraseProject(ctx: TenantContext, id: string): Promise<void> {
  const uploadsUntil = await lastUploadOf(ctx, id);
  for (;;) {
    await erasePipelines(ctx, eq(projects.id, id));
    await eraseJobs(ctx, id);
    // Before the rows: a call that is repeated does not find any more when their uploads end.
    await expectProjectLeftovers(ctx, id, uploadsUntil);
    // Objects before rows: a call that was interrupted still finds the project, and can be repeated.
    await deletePrefix(ctx.bucket, keys.project(id));
    for (const table of BULKY) await deleteRows(ctx, table, id);
    const pipelinesLeft = ctx.db.select().from(pipelines).where(eq(pipelines.projectId, id));
    await ctx.db.delete(projects).where(and(eq(projects.id, id), notExists(pipelinesLeft)));
    const left = await ctx.db.query.projects.findFirst({ where: eq(projects.id, id) });
    // Still there: somebody created a pipeline in the meantime.
    if (!left) break;
  }
  // Uploads that were under way have written to it until the row was gone.
  await deletePrefix(ctx.bucket, keys.project(id));
}

/** When the last URL ends under which the bucket takes bytes for one of its files. */
async function lastUploadOf(ctx: TenantContext, projectId: string): Promise<number | null> {
  const [row] = await ctx.db
    .select({ until: max(files.pendingUntil) })
    .from(files)
    .where(and(eq(files.projectId, projectId), isNotNull(files.pendingKey)));
  return row?.until?.getTime() ?? null;
}

async function deleteRows(
  ctx: TenantContext,
  table: (typeof BULKY)[number],
  projectId: string,
): Promise<void> {
  const own = eq(table.projectId, projectId);
  for (;;) {
    const batch = ctx.db.select({ id: table.id }).from(table).where(own).limit(ROWS_PER_DELETE);
    const { meta } = await ctx.db.delete(table).where(inArray(table.id, batch));
    if (meta.changes === 0) return;
  }
}
