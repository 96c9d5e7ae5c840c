import { and, desc, eq, inArray, isNull, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { buildInsertSelects } from '#src/db/rows.ts';
import { type Pipeline, pipelines, projects } from '#src/db/schema/index.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinOrganizations, withinScope } from '#src/services/tenancy/scope.ts';
import {
  buildChangedColumns,
  buildNewColumns,
  createWriterContext,
  resolveReferences,
  withFieldName,
  withInlineSink,
} from './configuration.ts';
import type { NewPipeline, PipelineChanges } from './input.ts';

export async function getPipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const row = await ctx.db.query.pipelines.findFirst({
    where: and(eq(pipelines.id, id), isNull(pipelines.sweepId), withinScope(ctx, pipelines.projectId)),
  });
  if (!row) throw new NotFound('Pipeline', id);
  return row;
}

/** Returns a pipeline that can be changed. Throws Conflict if the pipeline is being deleted. */
export async function getWritablePipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getPipeline(ctx, id);
  if (pipeline.status === 'DELETING') throw new Conflict(`Pipeline ${id} is being deleted.`);
  return pipeline;
}

/**
 * Returns whether the pipeline is a playground, which has no documents and searches another pipeline's index.
 */
export const isPlayground = ({ pipelineType, managedPipelineId }: Pipeline) =>
  pipelineType === 'PLAYGROUND' && managedPipelineId !== null;

/**
 * Returns a pipeline that accepts new documents. Throws Conflict for a playground, whose documents belong to
 * another pipeline.
 */
export async function getPipelineForInserts(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getWritablePipeline(ctx, id);
  if (isPlayground(pipeline)) {
    throw new Conflict(
      `Pipeline ${id} is a playground of pipeline ${pipeline.managedPipelineId}. Add documents to that pipeline instead.`,
    );
  }
  return pipeline;
}

export interface PipelineSearch {
  project_name?: string | null;
  pipeline_name?: string | null;
  pipeline_type?: 'MANAGED' | 'PLAYGROUND' | null;
}

export function searchPipelines(ctx: TenantContext, search: PipelineSearch): Promise<Pipeline[]> {
  const ofNamedProject = search.project_name
    ? whereProjectNamed(ctx, search.project_name)
    : eq(pipelines.projectId, ctx.projectId);
  return ctx.db.query.pipelines.findMany({
    where: and(
      ofNamedProject,
      isNull(pipelines.sweepId),
      search.pipeline_name ? eq(pipelines.name, search.pipeline_name) : undefined,
      search.pipeline_type ? eq(pipelines.pipelineType, search.pipeline_type) : undefined,
    ),
    orderBy: [desc(pipelines.createdAt), desc(pipelines.id)],
  });
}

/**
 * Returns the SQL condition that a pipeline belongs to a project with this name. All organizations that the
 * caller can access are searched.
 */
function whereProjectNamed(ctx: TenantContext, name: string) {
  const named = ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        withinOrganizations(ctx, projects.organizationId),
        eq(projects.name, name),
        ctx.onlyProjectId ? eq(projects.id, ctx.onlyProjectId) : undefined,
      ),
    );
  return inArray(pipelines.projectId, named);
}

export async function createPipeline(caller: TenantContext, input: NewPipeline): Promise<Pipeline> {
  const ctx = await createWriterContext(caller, caller.projectId);
  return withInlineSink(ctx, input, (given) =>
    retryUntilWritten(async () => {
      if (await findByName(ctx, given.name)) throw createNameConflict(given.name);
      return insertPipeline(ctx, given);
    }),
  );
}

export async function upsertPipeline(caller: TenantContext, input: NewPipeline): Promise<Pipeline> {
  const ctx = await createWriterContext(caller, caller.projectId);
  return withInlineSink(ctx, input, (given) =>
    retryUntilWritten(async () => {
      const existing = await findByName(ctx, given.name);
      return existing ? updatePipeline(ctx, existing.id, given) : insertPipeline(ctx, given);
    }),
  );
}

/**
 * Inserts a pipeline. Returns `undefined` if the name was taken or a referenced resource changed in the
 * meantime.
 */
async function insertPipeline(ctx: TenantContext, input: NewPipeline): Promise<Pipeline | undefined> {
  const id = newId();
  const references = await resolveReferences(ctx, input);
  const values = {
    id,
    projectId: ctx.projectId,
    name: input.name,
    pipelineType: input.pipeline_type ?? 'MANAGED',
    managedPipelineId: await resolveManagedPipeline(ctx, input),
    ...(await buildNewColumns(ctx, id, input, references)),
  };
  const [row] = await ctx.db
    .insert(pipelines)
    .select(buildInsertSelects(pipelines, [values], references.areUnchanged)[0]!)
    .onConflictDoNothing()
    .returning();
  return row;
}

/**
 * Updates a pipeline. Omitted fields stay unchanged, and null removes optional references. The next sync
 * updates the index.
 */
export async function updatePipeline(
  caller: TenantContext,
  id: string,
  changes: PipelineChanges,
): Promise<Pipeline> {
  const { projectId } = await getWritablePipeline(caller, id);
  const ctx = await createWriterContext(caller, projectId);
  return withInlineSink(ctx, changes, (given) =>
    retryUntilWritten(async () => {
      const stored = await getWritablePipeline(caller, id);
      const name = given.name ?? undefined;
      if (name && name !== stored.name && (await findByName(ctx, name))) throw createNameConflict(name);
      const references = await resolveReferences(ctx, given);
      const [row] = await ctx.db
        .update(pipelines)
        .set({
          updatedAt: new Date(),
          name,
          pipelineType: given.pipeline_type ?? undefined,
          managedPipelineId: await resolveManagedPipeline(ctx, given, stored),
          ...(await buildChangedColumns(ctx, stored, given, references)),
        })
        .where(
          and(isUnchanged(stored), name ? isNameFree(ctx, id, name) : undefined, references.areUnchanged),
        )
        .returning();
      return row;
    }),
  );
}

/**
 * Returns the SQL condition that the configuration columns have not changed since they were read. Masked
 * secrets in an update are restored from these columns, so they must be current.
 */
const isUnchanged = ({ id, embeddingConfig, parseParameters }: Pipeline) =>
  and(
    eq(pipelines.id, id),
    ne(pipelines.status, 'DELETING'),
    eq(pipelines.embeddingConfig, embeddingConfig),
    eq(pipelines.parseParameters, parseParameters),
  );

function isNameFree(ctx: TenantContext, id: string, name: string) {
  const others = alias(pipelines, 'others');
  const sameName = and(
    eq(others.projectId, ctx.projectId),
    eq(others.name, name),
    ne(others.id, id),
    sql`${others.status} <> 'DELETING'`,
  );
  return notExists(ctx.db.select({ id: others.id }).from(others).where(sameName));
}

const createNameConflict = (name: string) =>
  new Conflict(`A pipeline named ${name} already exists in this project.`);

function findByName(ctx: TenantContext, name: string): Promise<Pipeline | undefined> {
  return ctx.db.query.pipelines.findFirst({
    where: and(
      eq(pipelines.projectId, ctx.projectId),
      eq(pipelines.name, name),
      // The status is written as literal SQL, because SQLite uses the partial index only if the condition
      // contains no parameter.
      sql`${pipelines.status} <> 'DELETING'`,
    ),
  });
}

/**
 * Returns the id of the pipeline that a playground searches. Null removes the reference, and undefined keeps
 * it. The stored id is accepted even if its pipeline was deleted.
 */
async function resolveManagedPipeline(
  ctx: TenantContext,
  { managed_pipeline_id: id }: PipelineChanges,
  stored?: Pipeline,
): Promise<string | null | undefined> {
  if (!id || id === stored?.managedPipelineId) return id;
  const managed = await withFieldName('managed_pipeline_id', getPipeline(ctx, id));
  if (isPlayground(managed)) {
    throw Invalid.field(['managed_pipeline_id'], 'must not be a playground of another pipeline');
  }
  return managed.id;
}
