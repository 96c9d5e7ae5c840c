import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { EvaluationResult } from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { ClaimLost, type HeldLease, holdLease } from '#src/work/held-lease.ts';
import { accuracyRunner } from './accuracy/runner.ts';
import { startWaitingRuns } from './advance-run.ts';
import { retrievalRunner } from './evaluate-question.ts';
import { claimRun, releaseRun, renewRun } from './run-state.ts';
import { findRunState, getItemColumn, getResultTable, getRunTable, type RunKind } from './run-tables.ts';
import { type ResultRow, type Runner, type RunRow, TargetMissing } from './runner.ts';
import { sweepRunner } from './sweeps/runner.ts';

const RUNNERS: Record<RunKind, Runner> = {
  retrieval: retrievalRunner,
  accuracy: accuracyRunner,
  sweep: sweepRunner,
};

/**
 * Time in milliseconds after which a message starts no other question or file. It is short, so that jobs in the same
 * queue do not wait long.
 */
const TIME_PER_MESSAGE_MS = 10_000;
/**
 * Maximum time in milliseconds for which a run rests after a question or file. It rests as long as the evaluation took,
 * so that at least half of the time is left to others where all Workers share one thread.
 */
const MAX_REST_MS = 200;
/** Maximum number of times that a question or file is started, for example after a crash or a failure of a model. */
const MAX_ATTEMPTS = 3;
/** Wait in milliseconds after a failure that may be temporary. */
const PAUSE_MS = 10_000;
/** Wait in milliseconds until a preparation is looked at again. */
const PREPARATION_MS = 1_000;

/**
 * Evaluates the next questions or files of a run, one after the other, and sends the message for the following ones.
 * Results are stored one by one, so that a run continues after a crash. A failure does not affect the others.
 */
export async function performRun(ctx: Context, runId: string): Promise<void> {
  const found = await findRunState(ctx, runId);
  if (!found) return;
  const runner = RUNNERS[found.kind];
  const { kind } = runner;
  const consumer = crypto.randomUUID();
  const run = await claimRun<RunRow>(ctx, kind, runId, consumer);
  if (!run) return;
  const start = Date.now();
  // An evaluation that takes too long loses its lease, and the run continues with another attempt.
  const hold = holdLease(
    consumer,
    async () => Date.now() - start < runner.timeoutMs && (await renewRun(ctx, kind, runId, consumer)),
  );
  try {
    let step = await evaluateItems(ctx, runner, run, hold);
    if (step === 'done' && (await runner.continue?.(ctx, run, consumer))) step = 'more';
    if (step === 'done') return await endRun(ctx, runner, run, consumer);
    if (step === 'prepare') {
      await releaseRun(ctx, kind, runId, consumer, PREPARATION_MS);
      return await ctx.objects.jobIntake(run.projectId).advanceEvaluation(runId);
    }
    await releaseRun(ctx, kind, runId, consumer, step === 'pause' ? PAUSE_MS : 0);
    // After a pause, the intake of the project sends the message.
    if (step === 'more') await ctx.queues.send({ type: 'evaluate', runId, projectId: run.projectId });
  } catch (error) {
    if (error instanceof ClaimLost) return;
    if (error instanceof TargetMissing) return await endRun(ctx, runner, run, consumer, error.message);
    ctx.log.warn('evaluation interrupted', { runId, error: getErrorMessage(error) });
    await releaseRun(ctx, kind, runId, consumer, PAUSE_MS);
  } finally {
    hold.end();
  }
}

async function endRun(
  ctx: Context,
  runner: Runner,
  run: RunRow,
  consumer: string,
  errorMessage?: string,
): Promise<void> {
  await runner.finish(ctx, run, consumer, errorMessage);
  await startWaitingRuns(ctx, run.projectId);
}

async function evaluateItems(
  ctx: Context,
  runner: Runner,
  run: RunRow,
  hold: HeldLease,
): Promise<'more' | 'done' | 'pause' | 'prepare'> {
  await runner.requireTarget(ctx, run);
  if ((await runner.prepare?.(ctx, run, hold)) === false) return 'prepare';
  const results = getResultTable(runner.kind);
  const pending: ResultRow[] = await ctx.db
    .select()
    .from(results)
    .where(and(eq(results.runId, run.id), eq(results.status, 'pending')))
    .orderBy(asc(results.position))
    .limit(runner.itemsPerMessage);
  const start = Date.now();
  for (const result of pending) {
    await hold.checkpoint();
    if (Date.now() - start > TIME_PER_MESSAGE_MS) return 'more';
    const begun = Date.now();
    if ((await evaluateOne(ctx, runner, run, result, hold)) === 'pause') return 'pause';
    await scheduler.wait(Math.min(Date.now() - begun, MAX_REST_MS));
  }
  return pending.length === runner.itemsPerMessage ? 'more' : 'done';
}

/** Evaluates a question or file and stores its result. Returns `pause` if it should be tried again later. */
async function evaluateOne(
  ctx: Context,
  runner: Runner,
  run: RunRow,
  result: ResultRow,
  hold: HeldLease,
): Promise<'next' | 'pause'> {
  const { noun } = runner;
  const attempt = result.attempts + 1;
  const store = (values: object) => storeResult(ctx, runner, run, result, hold.consumer, values);
  // The start is stored first, so that a question or file that ends the process is not tried for ever.
  if (!(await store({ attempts: attempt }))) throw new ClaimLost();
  if (attempt > MAX_ATTEMPTS) {
    const errorMessage = `The ${noun} was started ${MAX_ATTEMPTS} times, and each time the service stopped or the evaluation took too long.`;
    await store({ status: 'failed', errorMessage });
    return 'next';
  }
  try {
    const evaluated = await runner.evaluate(ctx, run, result, hold);
    await store({ ...evaluated, status: 'completed', errorMessage: null });
  } catch (error) {
    if (error instanceof ClaimLost || hold.signal.aborted) throw new ClaimLost();
    const isTemporary = !(error instanceof DomainError) || error.retryable;
    if (isTemporary && attempt < MAX_ATTEMPTS) return 'pause';
    ctx.log.warn(`${noun} failed`, { runId: run.id, error: getErrorMessage(error) });
    const errorMessage = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
    await store({ status: 'failed', errorMessage });
  }
  return 'next';
}

/** Changes a result. Returns false if the consumer no longer holds the run, or if the file was deleted. */
async function storeResult(
  ctx: Context,
  runner: Runner,
  run: RunRow,
  result: ResultRow,
  consumer: string,
  values: Partial<EvaluationResult>,
): Promise<boolean> {
  const results = getResultTable(runner.kind);
  const stored = await ctx.db
    .update(results)
    .set(values)
    .where(
      and(
        eq(results.runId, run.id),
        eq(getItemColumn(runner.kind), runner.getItemId(result)),
        isHeld(runner.kind, run.id, consumer),
      ),
    )
    .returning({ position: results.position });
  return stored.length > 0;
}

function isHeld(kind: RunKind, runId: string, consumer: string): SQL {
  const runs = getRunTable(kind);
  return sql`exists (select 1 from ${runs} where ${runs.id} = ${runId}
    and ${runs.consumer} = ${consumer} and ${runs.status} = 'RUNNING')`;
}
