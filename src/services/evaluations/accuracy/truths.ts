import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { files, type Truth, type TruthKind, type TruthOrigin, truths } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import type { PageQuery } from '../question-sets.ts';
import { findTruthProblem, type NewTruth } from './input.ts';
import { getTruthSet } from './truth-sets.ts';
import { changeTruths, saveTruths } from './write-truths.ts';

/** A truth with its file, and whether the file was changed since the truth was written. */
export type ShownTruth = Truth & { kind: TruthKind; fileName: string; isAffected: boolean };

interface TruthQuery extends PageQuery {
  origin?: TruthOrigin | null | undefined;
  is_affected?: boolean | null | undefined;
}

const isAffected = sql<number>`(coalesce(${files.contentHash}, '') <> ${truths.fileHash})`;

/** Returns a page of the truths of a set in the order of the file names. */
export async function getTruthPage(
  ctx: TenantContext,
  truthSetId: string,
  query: TruthQuery,
): Promise<Page<ShownTruth> & { total_size: number }> {
  const set = await getTruthSet(ctx, truthSetId);
  const key = parsePageToken(query.page_token, ['string', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(truths.truthSetId, set.id),
    query.origin ? eq(truths.origin, query.origin) : undefined,
    typeof query.is_affected === 'boolean' ? sql`${isAffected} = ${Number(query.is_affected)}` : undefined,
  );
  const [rows, [total]] = await Promise.all([
    selectTruths(ctx, set.kind, and(where, afterKey([files.name, truths.fileId], key, 'asc')), size + 1),
    ctx.db
      .select({ count: sql<number>`count(*)` })
      .from(truths)
      .innerJoin(files, eq(files.id, truths.fileId))
      .where(where),
  ]);
  return { ...buildPage(rows, size, (row) => [row.fileName, row.fileId]), total_size: total!.count };
}

async function selectTruths(
  ctx: Context,
  kind: TruthKind,
  where: SQL | undefined,
  limit: number,
): Promise<ShownTruth[]> {
  const rows = await ctx.db
    .select({ ...getTableColumns(truths), fileName: files.name, isAffected })
    .from(truths)
    .innerJoin(files, eq(files.id, truths.fileId))
    .where(where)
    .orderBy(asc(files.name), asc(truths.fileId))
    .limit(limit);
  return rows.map((row) => ({ ...row, kind, isAffected: row.isAffected === 1 }));
}

/** Adds truths to a set, either all or none, and returns them. A truth replaces that of the same file. */
export async function addTruths(
  ctx: TenantContext,
  truthSetId: string,
  added: readonly NewTruth[],
): Promise<ShownTruth[]> {
  const set = await getTruthSet(ctx, truthSetId);
  const ids = added.map(({ file_id }) => bareId(file_id));
  const known = await findFileIds(ctx, set.projectId, ids);
  const rows = added.map((truth, index) => {
    const problem = findTruthProblem(set.kind, truth);
    if (problem) throw Invalid.field(['truths', index, problem.field], problem.message);
    const fileId = ids[index]!;
    if (!known.has(fileId)) {
      const message = `The project has no file with the id '${truth.file_id}'`;
      throw Invalid.field(['truths', index, 'file_id'], message, 'unknown_document');
    }
    return { fileId, origin: 'manual' as const, value: getExpectedValue(set.kind, truth) };
  });
  await saveTruths(ctx, set, rows);
  const isAdded = sql`${truths.fileId} in (select value from json_each(${JSON.stringify(ids)}))`;
  return selectTruths(ctx, set.kind, and(eq(truths.truthSetId, set.id), isAdded), ids.length);
}

/** Returns the expected result of a truth whose members fit the kind of its set. */
export const getExpectedValue = (kind: TruthKind, truth: Pick<NewTruth, 'values' | 'type'>): unknown =>
  kind === 'extraction' ? truth.values : (truth.type ?? null);

/** Returns those ids that are files of the project. */
export async function findFileIds(
  ctx: Context,
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await ctx.db.all<{ id: string }>(sql`select id from files where project_id = ${projectId}
    and id in (select value from json_each(${JSON.stringify(ids)}))`);
  return new Set(rows.map(({ id }) => id));
}

export async function deleteTruth(ctx: TenantContext, truthSetId: string, id: string): Promise<void> {
  const set = await getTruthSet(ctx, truthSetId);
  const isOwn = and(eq(truths.id, id), eq(truths.truthSetId, set.id));
  if ((await ctx.db.$count(truths, isOwn)) === 0) throw new NotFound('Truth', id);
  await changeTruths(ctx, set.id, async ({ isCurrent }) => [
    ctx.db.delete(truths).where(and(isOwn, isCurrent)),
  ]);
}
