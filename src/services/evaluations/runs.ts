import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import {
  type AnswerMeasures,
  type EvaluationResult,
  type EvaluationRun,
  evaluationResults,
  evaluationRuns,
  questionSets,
  type RunSummary,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { startWaitingRuns } from './advance-run.ts';
import { findDocuments } from './documents.ts';
import type { PageQuery } from './question-sets.ts';
import { stopRun, storeFinalSummary } from './run-state.ts';
import { type Breakdown, breakDownRun, type Group, summarizeRun } from './summary.ts';

/** A run with the name of its question set. */
export type ShownRun = EvaluationRun & { questionSetName: string };

export interface RunQuery extends PageQuery {
  question_set_id?: string | null | undefined;
  pipeline_id?: string | null | undefined;
  retriever_id?: string | null | undefined;
}

/** Returns a page of the project's runs, newest first. Runs that have not ended have no summary. */
export async function getRunPage(ctx: TenantContext, query: RunQuery): Promise<Page<ShownRun>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const { question_set_id: set, pipeline_id: pipeline, retriever_id: retriever } = query;
  const rows = await ctx.db
    .select({ run: evaluationRuns, questionSetName: questionSets.name })
    .from(evaluationRuns)
    .innerJoin(questionSets, eq(questionSets.id, evaluationRuns.questionSetId))
    .where(
      and(
        eq(evaluationRuns.projectId, ctx.projectId),
        set ? eq(evaluationRuns.questionSetId, set) : undefined,
        pipeline ? eq(evaluationRuns.pipelineId, pipeline) : undefined,
        retriever ? eq(evaluationRuns.retrieverId, retriever) : undefined,
        afterKey([evaluationRuns.createdAt, evaluationRuns.id], key, 'desc'),
      ),
    )
    .orderBy(desc(evaluationRuns.createdAt), desc(evaluationRuns.id))
    .limit(size + 1);
  const runs = rows.map(({ run, questionSetName }) => ({ ...run, questionSetName }));
  return buildPage(runs, size, (row) => [row.createdAt.getTime(), row.id]);
}

/** Returns a run. The summary of a run that has not ended covers the results that exist so far. */
export async function getRun(ctx: TenantContext, id: string): Promise<ShownRun & { summary: RunSummary }> {
  const [found] = await ctx.db
    .select({ run: evaluationRuns, questionSetName: questionSets.name })
    .from(evaluationRuns)
    .innerJoin(questionSets, eq(questionSets.id, evaluationRuns.questionSetId))
    .where(and(eq(evaluationRuns.id, id), withinScope(ctx, evaluationRuns.projectId)));
  if (!found) throw new NotFound('Evaluation run', id);
  const { run, questionSetName } = found;
  return { ...run, questionSetName, summary: run.summary ?? (await summarizeRun(ctx, run.id)) };
}

/** Stops a run. Results that exist stay. Does nothing if the run has ended. */
export async function cancelRun(ctx: TenantContext, id: string): Promise<ShownRun> {
  const run = await getRun(ctx, id);
  await stopRun(ctx, 'retrieval', run.id);
  // A consumer stores no more results from now on, so the summary is final.
  await storeFinalSummary(ctx, 'retrieval', run.id, await summarizeRun(ctx, run.id));
  await startWaitingRuns(ctx, run.projectId);
  return getRun(ctx, id);
}

export interface ResultQuery extends PageQuery {
  status?: EvaluationResult['status'] | null | undefined;
  tag?: string | null | undefined;
  document_id?: string | null | undefined;
  missed?: boolean | null | undefined;
}

/** Returns a page of the results of a run, in the order of the questions. */
export async function getResultPage(
  ctx: TenantContext,
  runId: string,
  query: ResultQuery,
): Promise<Page<ShownResult> & { total_size: number }> {
  const run = await getRun(ctx, runId);
  const key = parsePageToken(query.page_token, ['number']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const hits = sql`json_extract(${evaluationResults.metrics}, '$."hit@10"')`;
  const where = and(
    eq(evaluationResults.runId, run.id),
    query.status ? eq(evaluationResults.status, query.status) : undefined,
    query.tag
      ? sql`exists (select 1 from json_each(${evaluationResults.tags}) where value = ${query.tag})`
      : undefined,
    query.document_id
      ? sql`exists (select 1 from json_each(${evaluationResults.expectations}) as list,
          json_each(list.value) as expected where expected.value ->> 'document_id' = ${query.document_id})`
      : undefined,
    typeof query.missed === 'boolean' ? sql`${hits} = ${Number(!query.missed)}` : undefined,
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select()
      .from(evaluationResults)
      .where(and(where, afterKey([evaluationResults.position], key, 'asc')))
      .orderBy(asc(evaluationResults.position))
      .limit(size + 1),
    ctx.db.$count(evaluationResults, where),
  ]);
  const page = buildPage(rows, size, (row) => [row.position]);
  return { ...page, items: await withholdDeleted(ctx, run.projectId, page.items), total_size: total };
}

/** A result whose answer has no text if a document that it may quote was deleted. */
export type ShownResult = Omit<EvaluationResult, 'answer'> & {
  answer: (Omit<AnswerMeasures, 'text'> & { text: string | null }) | null;
};

/** Removes the titles of documents that were deleted since the run, and the answers that may quote them. */
async function withholdDeleted(
  ctx: TenantContext,
  projectId: string,
  results: EvaluationResult[],
): Promise<ShownResult[]> {
  const ids = results.flatMap(({ retrieved }) => (retrieved ?? []).map((each) => each.document_id));
  const known = await findDocuments(ctx, projectId, [...new Set(ids)]);
  return results.map((result) => {
    const { retrieved, answer } = result;
    if (!retrieved?.some((each) => !known.has(each.document_id))) return result;
    return {
      ...result,
      retrieved: retrieved.map((each) => (known.has(each.document_id) ? each : { ...each, title: '' })),
      answer: answer && { ...answer, text: null },
    };
  });
}

/** Returns the means of a run by tag or by expected document. */
export async function getBreakdown(ctx: TenantContext, runId: string, by: Breakdown): Promise<Group[]> {
  const run = await getRun(ctx, runId);
  return breakDownRun(ctx, run.id, by);
}
