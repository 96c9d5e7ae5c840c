import { and, desc, eq, inArray, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { rowsToInsert } from '#src/db/rows.ts';
import { type Pipeline, pipelines, projects } from '#src/db/schema/index.ts';
import { untilWritten } from '#src/db/until-written.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinOrganizations, withinScope } from '#src/services/tenancy/scope.ts';
import {
  changedColumns,
  named,
  newColumns,
  referencesOf,
  withInlineSink,
  writerIn,
} from './configuration.ts';
import type { NewPipeline, PipelineChanges } from './input.ts';

export async function getPipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const row = await ctx.db.query.pipelines.findFirst({
    where: and(eq(pipelines.id, id), withinScope(ctx, pipelines.projectId)),
  });
  if (!row) throw new NotFound('Pipeline', id);
  return row;
}

/** Returns a pipeline for writing. One that is being deleted is rejected. */
export async function getWritablePipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getPipeline(ctx, id);
  if (pipeline.status === 'DELETING') throw new Conflict(`Pipeline ${id} is being deleted.`);
  return pipeline;
}

/** Returns whether the pipeline has no documents of its own and is answered from another one. */
export const isPlayground = ({ pipelineType, managedPipelineId }: Pipeline) =>
  pipelineType === 'PLAYGROUND' && managedPipelineId !== null;

/**
 * Returns a pipeline into which documents may be inserted. Rejects a playground, because another pipeline
 * holds its documents.
 */
export async function getFillablePipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getWritablePipeline(ctx, id);
  if (isPlayground(pipeline)) {
    throw new Conflict(
      `Pipeline ${id} is a playground of pipeline ${pipeline.managedPipelineId}, which it is answered from: documents are put into that one.`,
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
    ? withinProjectNamed(ctx, search.project_name)
    : eq(pipelines.projectId, ctx.projectId);
  return ctx.db.query.pipelines.findMany({
    where: and(
      ofNamedProject,
      search.pipeline_name ? eq(pipelines.name, search.pipeline_name) : undefined,
      search.pipeline_type ? eq(pipelines.pipelineType, search.pipeline_type) : undefined,
    ),
    orderBy: [desc(pipelines.createdAt), desc(pipelines.id)],
  });
}

/** Selects the project of this name in each organization that the caller can access. */
function withinProjectNamed(ctx: TenantContext, name: string) {
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
  const ctx = await writerIn(caller, caller.projectId);
  return withInlineSink(ctx, input, (given) =>
    untilWritten(async () => {
      if (await findByName(ctx, given.name)) throw taken(given.name);
      return insertPipeline(ctx, given);
    }),
  );
}

export async function upsertPipeline(caller: TenantContext, input: NewPipeline): Promise<Pipeline> {
  const ctx = await writerIn(caller, caller.projectId);
  return withInlineSink(ctx, input, (given) =>
    untilWritten(async () => {
      const existing = await findByName(ctx, given.name);
      return existing ? updatePipeline(ctx, existing.id, given) : insertPipeline(ctx, given);
    }),
  );
}

/**
 * Inserts a pipeline. Returns undefined if the name was taken or a referenced resource changed in the
 * meantime.
 */
async function insertPipeline(ctx: TenantContext, input: NewPipeline): Promise<Pipeline | undefined> {
  const id = newId();
  const references = await referencesOf(ctx, input);
  const values = {
    id,
    projectId: ctx.projectId,
    name: input.name,
    pipelineType: input.pipeline_type ?? 'MANAGED',
    managedPipelineId: await managedPipelineOf(ctx, input),
    ...(await newColumns(ctx, id, input, references)),
  };
  const [row] = await ctx.db
    .insert(pipelines)
    .select(rowsToInsert(pipelines, [values], references.isThere)[0]!)
    .onConflictDoNothing()
    .returning();
  return row;
}

/**
 * Updates a pipeline. Missing members stay; null detaches optional ones. The index follows with the next
 * sync.
 */
export async function updatePipeline(
  caller: TenantContext,
  id: string,
  changes: PipelineChanges,
): Promise<Pipeline> {
  const { projectId } = await getWritablePipeline(caller, id);
  const ctx = await writerIn(caller, projectId);
  return withInlineSink(ctx, changes, (given) =>
    untilWritten(async () => {
      const stored = await getWritablePipeline(caller, id);
      const name = given.name ?? undefined;
      if (name && name !== stored.name && (await findByName(ctx, name))) throw taken(name);
      const references = await referencesOf(ctx, given);
      const [row] = await ctx.db
        .update(pipelines)
        .set({
          updatedAt: new Date(),
          name,
          pipelineType: given.pipeline_type ?? undefined,
          managedPipelineId: await managedPipelineOf(ctx, given, stored),
          ...(await changedColumns(ctx, stored, given, references)),
        })
        .where(and(isAsRead(stored), name ? isFree(ctx, id, name) : undefined, references.isThere))
        .returning();
      return row;
    }),
  );
}

/**
 * Condition that the row still has the columns as they were read, because masked secrets of an update are
 * filled in from them.
 */
const isAsRead = ({ id, embeddingConfig, parseParameters }: Pipeline) =>
  and(
    eq(pipelines.id, id),
    ne(pipelines.status, 'DELETING'),
    eq(pipelines.embeddingConfig, embeddingConfig),
    eq(pipelines.parseParameters, parseParameters),
  );

/** Condition that no other pipeline of the project has the name. */
function isFree(ctx: TenantContext, id: string, name: string) {
  const others = alias(pipelines, 'others');
  const sameName = and(
    eq(others.projectId, ctx.projectId),
    eq(others.name, name),
    ne(others.id, id),
    sql`${others.status} <> 'DELETING'`,
  );
  return notExists(ctx.db.select({ id: others.id }).from(others).where(sameName));
}

const taken = (name: string) => new Conflict(`A pipeline named ${name} exists already in this project.`);

function findByName(ctx: TenantContext, name: string): Promise<Pipeline | undefined> {
  return ctx.db.query.pipelines.findFirst({
    where: and(
      eq(pipelines.projectId, ctx.projectId),
      eq(pipelines.name, name),
      // Inlined as text, because SQLite then recognises the condition of the partial index.
      sql`${pipelines.status} <> 'DELETING'`,
    ),
  });
}

/**
 * Returns the id of the managed pipeline: null detaches it, and undefined leaves it as it is. The stored id
 * may be sent back even if that pipeline was deleted.
 */
async function managedPipelineOf(
  ctx: TenantContext,
  { managed_pipeline_id: id }: PipelineChanges,
  stored?: Pipeline,
): Promise<string | null | undefined> {
  if (!id || id === stored?.managedPipelineId) return id;
  const managed = await named('managed_pipeline_id', getPipeline(ctx, id));
  if (isPlayground(managed)) {
    throw Invalid.field(['managed_pipeline_id'], 'a pipeline that is itself a playground of another one');
  }
  return managed.id;
}
