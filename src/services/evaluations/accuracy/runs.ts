import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import {
  type AccuracyResult,
  type AccuracyRun,
  type AccuracySummary,
  accuracyResults,
  accuracyRuns,
  files,
  type TruthKind,
  truthSets,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { startWaitingRuns } from '../advance-run.ts';
import type { PageQuery } from '../question-sets.ts';
import { stopRun, storeFinalSummary } from '../run-state.ts';
import { type AccuracyReport, readReport, summarizeAccuracy } from './report.ts';

/** A run with the name of its truth set, and the number of its files that were not deleted. */
export type ShownAccuracyRun = AccuracyRun & { truthSetName: string; fileCount: number };

interface RunQuery extends PageQuery {
  truth_set_id?: string | null | undefined;
  kind?: TruthKind | null | undefined;
}

const fileCount = sql<number>`(select count(*) from accuracy_results where run_id = accuracy_runs.id)`;

const selectRuns = (ctx: TenantContext) =>
  ctx.db
    .select({ run: accuracyRuns, truthSetName: truthSets.name, fileCount })
    .from(accuracyRuns)
    .innerJoin(truthSets, eq(truthSets.id, accuracyRuns.truthSetId))
    .$dynamic();

/** Returns a page of the project's runs, newest first. Runs that have not ended have no summary. */
export async function getAccuracyRunPage(
  ctx: TenantContext,
  query: RunQuery,
): Promise<Page<ShownAccuracyRun>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await selectRuns(ctx)
    .where(
      and(
        eq(accuracyRuns.projectId, ctx.projectId),
        query.truth_set_id ? eq(accuracyRuns.truthSetId, query.truth_set_id) : undefined,
        query.kind ? eq(accuracyRuns.kind, query.kind) : undefined,
        afterKey([accuracyRuns.createdAt, accuracyRuns.id], key, 'desc'),
      ),
    )
    .orderBy(desc(accuracyRuns.createdAt), desc(accuracyRuns.id))
    .limit(size + 1);
  const runs = rows.map(({ run, ...shown }) => ({ ...run, ...shown }));
  return buildPage(runs, size, (row) => [row.createdAt.getTime(), row.id]);
}

/** Returns a run. The summary of a run that has not ended covers the results that exist so far. */
export async function getAccuracyRun(
  ctx: TenantContext,
  id: string,
): Promise<ShownAccuracyRun & { summary: AccuracySummary }> {
  const [found] = await selectRuns(ctx).where(
    and(eq(accuracyRuns.id, id), withinScope(ctx, accuracyRuns.projectId)),
  );
  if (!found) throw new NotFound('Accuracy run', id);
  const { run, ...shown } = found;
  return { ...run, ...shown, summary: run.summary ?? (await summarizeAccuracy(ctx, run)) };
}

/** Returns the measures of a run in detail, from the results of files that were not deleted. */
export async function getAccuracyReport(
  ctx: TenantContext,
  id: string,
): Promise<{ run: ShownAccuracyRun; report: AccuracyReport }> {
  const run = await getAccuracyRun(ctx, id);
  return { run, report: await readReport(ctx, run) };
}

/** Stops a run. Results that exist stay. Does nothing if the run has ended. */
export async function cancelAccuracyRun(ctx: TenantContext, id: string): Promise<ShownAccuracyRun> {
  const run = await getAccuracyRun(ctx, id);
  await stopRun(ctx, 'accuracy', run.id);
  // A consumer stores no more results from now on, so the summary is final.
  await storeFinalSummary(ctx, 'accuracy', run.id, await summarizeAccuracy(ctx, run));
  await startWaitingRuns(ctx, run.projectId);
  return getAccuracyRun(ctx, id);
}

/** Deletes a run with its results. A consumer that evaluates its files stops. */
export async function deleteAccuracyRun(ctx: TenantContext, id: string): Promise<void> {
  const run = await getAccuracyRun(ctx, id);
  await stopRun(ctx, 'accuracy', run.id);
  await deleteInBatches(ctx.db, 'accuracy_runs', run.id);
  await ctx.db.delete(accuracyRuns).where(eq(accuracyRuns.id, run.id));
  await startWaitingRuns(ctx, run.projectId);
}

export type ShownAccuracyResult = AccuracyResult & { kind: TruthKind; fileName: string };

interface ResultQuery extends PageQuery {
  status?: AccuracyResult['status'] | null | undefined;
  is_correct?: boolean | null | undefined;
  field?: string | null | undefined;
}

/** Returns a page of the results of a run, in the order of the file names. */
export async function getAccuracyResultPage(
  ctx: TenantContext,
  runId: string,
  query: ResultQuery,
): Promise<Page<ShownAccuracyResult> & { total_size: number }> {
  const run = await getAccuracyRun(ctx, runId);
  const key = parsePageToken(query.page_token, ['number']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const { metrics, outcome, position } = accuracyResults;
  const isCorrect = sql`coalesce(${metrics} ->> '$.exact', ${metrics} ->> '$.accuracy')`;
  const where = and(
    eq(accuracyResults.runId, run.id),
    query.status ? eq(accuracyResults.status, query.status) : undefined,
    typeof query.is_correct === 'boolean' ? sql`${isCorrect} = ${Number(query.is_correct)}` : undefined,
    query.field
      ? sql`exists (select 1 from json_each(${outcome}, '$.fields') as field where field.key = ${query.field}
          and (field.value ->> '$.wrong') + (field.value ->> '$.missing') + (field.value ->> '$.invented') > 0)`
      : undefined,
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select({ ...getTableColumns(accuracyResults), fileName: files.name })
      .from(accuracyResults)
      .innerJoin(files, eq(files.id, accuracyResults.fileId))
      .where(and(where, afterKey([position], key, 'asc')))
      .orderBy(asc(position))
      .limit(size + 1),
    ctx.db.$count(accuracyResults, where),
  ]);
  const shown = rows.map((row) => ({ ...row, kind: run.kind }));
  return { ...buildPage(shown, size, (row) => [row.position]), total_size: total };
}
