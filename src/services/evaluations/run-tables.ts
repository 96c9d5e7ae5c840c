import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  accuracyResults,
  accuracyRuns,
  evaluationResults,
  evaluationRuns,
  evaluationSweeps,
  sweepResults,
} from '#src/db/schema/index.ts';

/**
 * Runs evaluate retrieval with questions, or the accuracy of extraction and classification with files. Sweeps evaluate
 * retrieval with several settings.
 */
export type RunKind = 'retrieval' | 'accuracy' | 'sweep';

const RUN_TABLES = {
  retrieval: evaluationRuns,
  accuracy: accuracyRuns,
  sweep: evaluationSweeps,
} satisfies Record<RunKind, unknown>;
const RESULT_TABLES = {
  retrieval: evaluationResults,
  accuracy: accuracyResults,
  sweep: sweepResults,
} satisfies Record<RunKind, unknown>;
const ITEM_COLUMNS = {
  retrieval: evaluationResults.questionId,
  accuracy: accuracyResults.fileId,
  sweep: sweepResults.itemId,
} as const;

/**
 * Returns the table of a kind of run with the type of the retrieval runs. Use only columns of `runState`, the id and
 * the project.
 */
export const getRunTable = (kind: RunKind): typeof evaluationRuns =>
  RUN_TABLES[kind] as unknown as typeof evaluationRuns;

/**
 * Returns the table of the results of a kind of run with the type of the retrieval results. Use only columns of
 * `resultState`, the run and the position.
 */
export const getResultTable = (kind: RunKind): typeof evaluationResults =>
  RESULT_TABLES[kind] as unknown as typeof evaluationResults;

/** Returns the column that contains the id of the evaluated question or file. */
export const getItemColumn = (kind: RunKind) => ITEM_COLUMNS[kind];

/** Columns of a run that say how far it is. All kinds of runs have them. */
export interface RunState {
  id: string;
  projectId: string;
  status: string;
  leaseUntil: number | null;
  createdAt: number;
  /** 1 if a schedule started the run, otherwise 0. */
  isScheduled: number;
}

/** Runs of all kinds. */
const ALL_RUNS = sql`(
  select 'retrieval' as kind, id, project_id as projectId, status, lease_until as leaseUntil, created_at as createdAt,
    limits is not null as isScheduled from evaluation_runs
  union all
  select 'accuracy', id, project_id, status, lease_until, created_at, 0 from accuracy_runs
  union all
  select 'sweep', id, project_id, status, lease_until, created_at, 0 from evaluation_sweeps)`;

const selectRuns = (ctx: Context, condition: SQL) =>
  ctx.db.all<RunState & { kind: RunKind }>(sql`select * from ${ALL_RUNS} where ${condition}`);

/** Finds a run of any kind by its id. Returns `undefined` if there is none. */
export async function findRunState(ctx: Context, runId: string) {
  const [run] = await selectRuns(ctx, sql`id = ${runId}`);
  return run;
}

/** Lists the runs of a project that have not ended, of all kinds, oldest first. */
export const listOpenRuns = (ctx: Context, projectId: string) =>
  selectRuns(ctx, sql`projectId = ${projectId} and status in ('PENDING', 'RUNNING') order by createdAt, id`);
