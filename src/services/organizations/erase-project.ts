import { and, eq, inArray, isNotNull, max, notExists, type SQL, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { getOwnerKeys, OWNED_TABLES } from '#src/db/ownership/owned-tables.ts';
import { files, pipelines, projects } from '#src/db/schema/index.ts';
import { createInUseError } from '#src/services/connections/in-use.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { scheduleProjectLeftovers } from '#src/services/files/leftovers.ts';
import { eraseJobs } from '#src/services/jobs/erase.ts';
import { deletePipeline } from '#src/services/pipelines/delete.ts';

/**
 * Number of pipelines that are selected per query. The number is low, because deleting one pipeline takes
 * many calls.
 */
const PIPELINES_PER_ROUND = 50;

/**
 * Deletes the selected projects with everything that they own: pipelines, indexes, bucket objects and rows.
 * Throws Conflict if pipelines of other projects use their resources. May be called again after an
 * interruption.
 */
export async function eraseProjects(ctx: TenantContext, which: SQL): Promise<void> {
  const users = await findOutsideUsers(ctx, which);
  if (users.length > 0) throw createInUseError('project', users);
  // Pipelines of all projects are deleted first, because they may use connections of another selected
  // project.
  await erasePipelines(ctx, which);
  for (const { id } of await ctx.db.select({ id: projects.id }).from(projects).where(which)) {
    await eraseProject(ctx, id);
  }
}

/**
 * Columns of pipelines and their parts that refer to connections and files. A connection or file cannot be
 * deleted while a pipeline uses it.
 */
const PIPELINE_REFERENCES = OWNED_TABLES.flatMap((table) => {
  const owner = getOwnerKeys(table).find((key) => key.table === 'pipelines');
  const pipeline = table.name === 'pipelines' ? 'id' : owner?.column;
  const used = table.shape.references.filter(({ onDelete }) => onDelete === 'no action');
  return pipeline === undefined
    ? []
    : used.map((reference) => ({ holder: table.name, pipeline, ...reference }));
});

/** Returns pipelines of other projects that use resources of the selected projects. */
function findOutsideUsers(ctx: TenantContext, which: SQL): Promise<{ name: string }[]> {
  const owned = ctx.db.select({ id: projects.id }).from(projects).where(which);
  const queries = PIPELINE_REFERENCES.map(({ holder, pipeline, column, table }) => {
    const [from, user, use, used] = [holder, pipeline, column, table].map((name) => sql.identifier(name));
    return sql`select name from pipelines where project_id not in ${owned} and id in (
      select ${user} from ${from} where ${use} in (select id from ${used} where project_id in ${owned}))`;
  });
  return ctx.db.all(sql.join(queries, sql` union `));
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
  const uploadsUntil = await getLastUploadExpiry(ctx, id);
  for (;;) {
    await erasePipelines(ctx, eq(projects.id, id));
    await eraseJobs(ctx, id);
    // A search for leftover objects is scheduled before the rows are deleted. A later call could not
    // determine when the upload URLs expire.
    await scheduleProjectLeftovers(ctx, id, uploadsUntil);
    // Objects are deleted before rows, so that the project still exists if the deletion is interrupted and
    // repeated.
    await deletePrefix(ctx.bucket, keys.project(id));
    await deleteInBatches(ctx.db, 'projects', id);
    const pipelinesLeft = ctx.db.select().from(pipelines).where(eq(pipelines.projectId, id));
    await ctx.db.delete(projects).where(and(eq(projects.id, id), notExists(pipelinesLeft)));
    const left = await ctx.db.query.projects.findFirst({ where: eq(projects.id, id) });
    // The project cannot be deleted if a pipeline was created in the meantime. The loop then repeats.
    if (!left) break;
  }
  // Objects are deleted again, because uploads in progress could write some until the project's row was
  // deleted.
  await deletePrefix(ctx.bucket, keys.project(id));
}

/**
 * Returns the time at which the last upload URL of the project's files expires, in milliseconds since 1970.
 * Returns null if no upload is pending.
 */
async function getLastUploadExpiry(ctx: TenantContext, projectId: string): Promise<number | null> {
  const [row] = await ctx.db
    .select({ until: max(files.pendingUntil) })
    .from(files)
    .where(and(eq(files.projectId, projectId), isNotNull(files.pendingKey)));
  return row?.until?.getTime() ?? null;
}
