import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { pipelines, retrievers } from '#src/db/schema/index.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import { getRetriever } from './retrievers.ts';

/** A pipeline or retriever that can be addressed by its name. */
export interface Searchable {
  kind: 'pipeline' | 'retriever';
  id: string;
  name: string;
  createdAt: Date;
}

/**
 * Returns all pipelines and retrievers of the caller's project. Pipelines come first, newest first, followed
 * by retrievers sorted by name.
 */
export const listSearchables = (ctx: TenantContext): Promise<Searchable[]> => selectSearchables(ctx);

/** Returns the pipeline and the retriever of the caller's project with this name, if they exist. */
export const findSearchablesByName = (ctx: TenantContext, name: string): Promise<Searchable[]> =>
  selectSearchables(ctx, name);

/** Returns a pipeline or retriever by id, if the caller can access it. */
export async function getSearchable(
  ctx: TenantContext,
  { kind, id }: Pick<Searchable, 'kind' | 'id'>,
): Promise<Searchable> {
  const { name, createdAt } = await (kind === 'pipeline' ? getPipeline(ctx, id) : getRetriever(ctx, id));
  return { kind, id, name, createdAt };
}

/**
 * Selects all pipelines and retrievers, or those with the given name. Pipelines that are being deleted are
 * omitted, so their names can be used again.
 */
async function selectSearchables(ctx: TenantContext, name?: string): Promise<Searchable[]> {
  const whereInProject = (table: typeof pipelines | typeof retrievers, ...more: SQL[]) =>
    and(eq(table.projectId, ctx.projectId), name === undefined ? undefined : eq(table.name, name), ...more);
  const [pipelineRows, retrieverRows] = await ctx.db.batch([
    ctx.db
      .select({ id: pipelines.id, name: pipelines.name, createdAt: pipelines.createdAt })
      .from(pipelines)
      .where(
        whereInProject(pipelines, sql`${pipelines.status} <> 'DELETING' and ${pipelines.sweepId} is null`),
      )
      .orderBy(desc(pipelines.createdAt), desc(pipelines.id)),
    ctx.db
      .select({ id: retrievers.id, name: retrievers.name, createdAt: retrievers.createdAt })
      .from(retrievers)
      .where(whereInProject(retrievers))
      .orderBy(asc(retrievers.name)),
  ]);
  return [
    ...pipelineRows.map((row) => ({ kind: 'pipeline' as const, ...row })),
    ...retrieverRows.map((row) => ({ kind: 'retriever' as const, ...row })),
  ];
}
