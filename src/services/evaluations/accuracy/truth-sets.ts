import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type TruthKind, type TruthSet, truthSets } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { startWaitingRuns } from '../advance-run.ts';
import type { PageQuery } from '../question-sets.ts';
import { MAX_TRUTH_SETS, type NewTruthSet, type TruthSetChanges } from './input.ts';

export type CountedTruthSet = TruthSet & { truthCount: number };

const columns = {
  id: truthSets.id,
  projectId: truthSets.projectId,
  kind: truthSets.kind,
  name: truthSets.name,
  description: truthSets.description,
  version: truthSets.version,
  createdAt: truthSets.createdAt,
  updatedAt: truthSets.updatedAt,
  truthCount: sql<number>`(select count(*) from truths where truth_set_id = truth_sets.id)`,
};

/** Returns a page of the project's truth sets, newest first. `name` selects the set with exactly this name. */
export async function getTruthSetPage(
  ctx: TenantContext,
  query: PageQuery & { name?: string | null | undefined; kind?: TruthKind | null | undefined },
): Promise<Page<CountedTruthSet>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db
    .select(columns)
    .from(truthSets)
    .where(
      and(
        eq(truthSets.projectId, ctx.projectId),
        query.name ? eq(truthSets.name, query.name) : undefined,
        query.kind ? eq(truthSets.kind, query.kind) : undefined,
        afterKey([truthSets.createdAt, truthSets.id], key, 'desc'),
      ),
    )
    .orderBy(desc(truthSets.createdAt), desc(truthSets.id))
    .limit(size + 1);
  return buildPage(rows, size, (row) => [row.createdAt.getTime(), row.id]);
}

export async function getTruthSet(ctx: TenantContext, id: string): Promise<CountedTruthSet> {
  const [row] = await ctx.db
    .select(columns)
    .from(truthSets)
    .where(and(eq(truthSets.id, id), withinScope(ctx, truthSets.projectId)));
  if (!row) throw new NotFound('Truth set', id);
  return row;
}

export async function createTruthSet(ctx: TenantContext, input: NewTruthSet): Promise<CountedTruthSet> {
  const now = new Date();
  const row = {
    id: newId(),
    projectId: ctx.projectId,
    kind: input.kind,
    name: input.name,
    description: input.description ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(select count(*) from truth_sets where project_id = ${ctx.projectId}) < ${MAX_TRUTH_SETS}`;
  await buildConditionalInsert(ctx, createConditionalRow(truthSets, row, hasRoom));
  const created = await ctx.db.query.truthSets.findFirst({ where: eq(truthSets.id, row.id) });
  if (created) return { ...created, truthCount: 0 };
  await requireFreeName(ctx, row);
  throw new Conflict(
    `The project has ${MAX_TRUTH_SETS} truth sets, which is the maximum. Delete others first.`,
  );
}

/** Renames or describes a truth set. This does not change its version. */
export async function updateTruthSet(
  ctx: TenantContext,
  id: string,
  changes: TruthSetChanges,
): Promise<CountedTruthSet> {
  const before = await getTruthSet(ctx, id);
  const wanted = { ...before, name: changes.name ?? before.name };
  await requireFreeName(ctx, wanted);
  try {
    await ctx.db
      .update(truthSets)
      .set({ name: wanted.name, description: changes.description, updatedAt: new Date() })
      .where(eq(truthSets.id, before.id));
  } catch (error) {
    // Another request may have taken the name in the meantime.
    await requireFreeName(ctx, wanted);
    throw error;
  }
  return getTruthSet(ctx, id);
}

/** Deletes a truth set with its truths, its runs and their results. */
export async function deleteTruthSet(ctx: TenantContext, id: string): Promise<void> {
  const row = await getTruthSet(ctx, id);
  await deleteInBatches(ctx.db, 'truth_sets', row.id);
  await ctx.db.delete(truthSets).where(eq(truthSets.id, row.id));
  await startWaitingRuns(ctx, row.projectId);
}

async function requireFreeName(
  ctx: TenantContext,
  { id, projectId, name }: Pick<TruthSet, 'id' | 'projectId' | 'name'>,
): Promise<void> {
  const sameName = and(eq(truthSets.projectId, projectId), eq(truthSets.name, name), ne(truthSets.id, id));
  if ((await ctx.db.$count(truthSets, sameName)) === 0) return;
  throw new Conflict(`The project already has a truth set named '${name}'. Choose another name.`);
}
