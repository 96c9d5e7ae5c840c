import { and, asc, eq, ne, notExists } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { chatStreams, type Retriever, retrievers } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { dropChatStreams } from '#src/services/pipelines/erase-conversations.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';

const name = z.string().min(1).max(3000);

/** One pipeline of a retriever. Routing uses its name and description. */
export const retrieverPipeline = z.object({
  pipeline_id: uuid(),
  name: z.string().max(3000).nullish(),
  description: z.string().max(15_000).nullish(),
  preset_retrieval_parameters: presetRetrievalParameters
    .nullish()
    .describe(
      'Retrieval parameters for this retriever. They take precedence over the preset of the pipeline.',
    ),
});
export type RetrieverPipeline = z.infer<typeof retrieverPipeline>;

export const retrieverPipelines = z.array(retrieverPipeline).max(20);

export const newRetriever = z.object({ name, pipelines: retrieverPipelines.nullish() });
export type NewRetriever = z.infer<typeof newRetriever>;

export const retrieverChanges = z.object({ name: name.nullish(), pipelines: retrieverPipelines.nullish() });
export type RetrieverChanges = z.infer<typeof retrieverChanges>;

export async function createRetriever(ctx: TenantContext, input: NewRetriever): Promise<Retriever> {
  const row = await insertRetriever(ctx, input);
  if (!row) throw createNameConflict(input.name);
  return row;
}

export async function upsertRetriever(ctx: TenantContext, input: NewRetriever): Promise<Retriever> {
  const created = await insertRetriever(ctx, input);
  if (created) return created;
  const existing = await findByName(ctx, ctx.projectId, input.name);
  if (!existing) throw new NotFound('Retriever', input.name);
  return updateRetriever(ctx, existing.id, input);
}

/** Inserts a retriever. Returns `undefined` if the project already has a retriever with this name. */
async function insertRetriever(ctx: TenantContext, input: NewRetriever): Promise<Retriever | undefined> {
  const pipelines = await checkPipelines(ctx, input.pipelines ?? []);
  const [row] = await ctx.db
    .insert(retrievers)
    .values({ id: newId(), projectId: ctx.projectId, name: input.name, pipelines })
    .onConflictDoNothing()
    .returning();
  return row;
}

export function listRetrievers(ctx: TenantContext, named?: string | null): Promise<Retriever[]> {
  return ctx.db.query.retrievers.findMany({
    where: and(eq(retrievers.projectId, ctx.projectId), named ? eq(retrievers.name, named) : undefined),
    orderBy: [asc(retrievers.name)],
  });
}

export async function getRetriever(ctx: TenantContext, id: string): Promise<Retriever> {
  const row = await ctx.db.query.retrievers.findFirst({
    where: and(eq(retrievers.id, id), withinScope(ctx, retrievers.projectId)),
  });
  if (!row) throw new NotFound('Retriever', id);
  return row;
}

export async function updateRetriever(
  ctx: TenantContext,
  id: string,
  changes: RetrieverChanges,
): Promise<Retriever> {
  const pipelines = changes.pipelines && (await checkPipelines(ctx, changes.pipelines));
  return retryUntilWritten(async () => {
    const { projectId } = await getRetriever(ctx, id);
    const name = changes.name ?? undefined;
    const other = name && (await findByName(ctx, projectId, name));
    if (other && other.id !== id) throw createNameConflict(other.name);
    const others = alias(retrievers, 'others');
    const sameName = and(eq(others.projectId, projectId), eq(others.name, name ?? ''), ne(others.id, id));
    const [row] = await ctx.db
      .update(retrievers)
      .set({ name, pipelines: pipelines ?? undefined, updatedAt: new Date() })
      .where(and(eq(retrievers.id, id), notExists(ctx.db.select().from(others).where(sameName))))
      .returning();
    return row;
  });
}

export async function deleteRetriever(ctx: TenantContext, id: string): Promise<void> {
  await getRetriever(ctx, id);
  await dropChatStreams(ctx, eq(chatStreams.retrieverId, id));
  await deleteInBatches(ctx.db, 'retrievers', id);
  await ctx.db.delete(retrievers).where(eq(retrievers.id, id));
}

export function parsePipelines(row: Retriever): RetrieverPipeline[] {
  return retrieverPipelines.parse(row.pipelines);
}

/** Returns the id of an inline retriever. The same project and pipelines always give the same id. */
export function deriveInlineId(ctx: TenantContext, pipelines: RetrieverPipeline[]): Promise<string> {
  return derivedId('retriever', ctx.projectId, ...pipelines.map(({ pipeline_id }) => pipeline_id));
}

async function checkPipelines(
  ctx: TenantContext,
  pipelines: RetrieverPipeline[],
): Promise<RetrieverPipeline[]> {
  for (const { pipeline_id } of pipelines) await getPipeline(ctx, pipeline_id);
  return pipelines;
}

function findByName(ctx: TenantContext, projectId: string, wanted: string): Promise<Retriever | undefined> {
  return ctx.db.query.retrievers.findFirst({
    where: and(eq(retrievers.projectId, projectId), eq(retrievers.name, wanted)),
  });
}

const createNameConflict = (wanted: string) =>
  new Conflict(`This project already has a retriever named '${wanted}'. Choose another name.`);
