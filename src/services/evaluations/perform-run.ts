import { and, asc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type EvaluationResult, type EvaluationRun, evaluationResults } from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage, NotFound } from '#src/lib/errors.ts';
import { ClaimLost, type HeldLease, holdLease } from '#src/work/held-lease.ts';
import { startWaitingRuns } from './advance-run.ts';
import { evaluateQuestion, requireTarget } from './evaluate-question.ts';
import { finishRun } from './finish-run.ts';
import { claimRun, releaseRun, renewRun } from './run-state.ts';

/**
 * Maximum number of questions that one message evaluates, and time in milliseconds after which it starts no other.
 * Both are small, so that jobs in the same queue do not wait long.
 */
const QUESTIONS_PER_MESSAGE = 20;
const TIME_PER_MESSAGE_MS = 10_000;
/**
 * Maximum time in milliseconds for which a run rests after a question. It rests as long as the question took, so that
 * at least half of the time is left to others where all Workers share one thread.
 */
const MAX_REST_MS = 200;
/** Maximum number of times that a question is started, for example after a crash or a failure of a model. */
const MAX_ATTEMPTS = 3;
/** Wait in milliseconds after a failure that may be temporary. */
const PAUSE_MS = 10_000;

/**
 * Evaluates the next questions of a run, one after the other, and sends the message for the following ones. Results
 * are stored by question, so that a run continues after a crash. A question that fails does not affect the others.
 */
export async function performRun(ctx: Context, runId: string): Promise<void> {
  const consumer = crypto.randomUUID();
  const run = await claimRun(ctx, runId, consumer);
  if (!run) return;
  const hold = holdLease(consumer, () => renewRun(ctx, runId, consumer));
  try {
    const step = await evaluateQuestions(ctx, run, hold);
    if (step === 'done') return await endRun(ctx, run, consumer);
    await releaseRun(ctx, runId, consumer, step === 'pause' ? PAUSE_MS : 0);
    // After a pause, the intake of the project sends the message.
    if (step === 'more') await ctx.queues.send({ type: 'evaluate', runId, projectId: run.projectId });
  } catch (error) {
    if (error instanceof ClaimLost) return;
    if (error instanceof TargetMissing) return await endRun(ctx, run, consumer, error.message);
    ctx.log.warn('evaluation interrupted', { runId, error: getErrorMessage(error) });
    await releaseRun(ctx, runId, consumer, PAUSE_MS);
  } finally {
    hold.end();
  }
}

async function endRun(
  ctx: Context,
  run: EvaluationRun,
  consumer: string,
  errorMessage?: string,
): Promise<void> {
  await finishRun(ctx, run, consumer, errorMessage);
  await startWaitingRuns(ctx, run.projectId);
}

/** Thrown if the pipeline or retriever of a run was deleted. */
class TargetMissing extends Error {}

async function evaluateQuestions(
  ctx: Context,
  run: EvaluationRun,
  hold: HeldLease,
): Promise<'more' | 'done' | 'pause'> {
  await requireTarget(ctx, run).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new TargetMissing(
      `The ${run.pipelineId ? 'pipeline' : 'retriever'} was deleted or is not accessible any more.`,
    );
  });
  const pending = await ctx.db.query.evaluationResults.findMany({
    where: and(eq(evaluationResults.runId, run.id), eq(evaluationResults.status, 'pending')),
    orderBy: [asc(evaluationResults.position)],
    limit: QUESTIONS_PER_MESSAGE,
  });
  const start = Date.now();
  for (const question of pending) {
    await hold.checkpoint();
    if (Date.now() - start > TIME_PER_MESSAGE_MS) return 'more';
    const begun = Date.now();
    if ((await evaluateOne(ctx, run, question, hold)) === 'pause') return 'pause';
    await scheduler.wait(Math.min(Date.now() - begun, MAX_REST_MS));
  }
  return pending.length === QUESTIONS_PER_MESSAGE ? 'more' : 'done';
}

/** Evaluates a question and stores its result. Returns `pause` if the question should be tried again later. */
async function evaluateOne(
  ctx: Context,
  run: EvaluationRun,
  question: EvaluationResult,
  hold: HeldLease,
): Promise<'next' | 'pause'> {
  const { consumer } = hold;
  const attempt = question.attempts + 1;
  // The start is stored first, so that a question that ends the process is not tried for ever.
  const isStarted = await storeResult(ctx, run, question, consumer, { attempts: attempt });
  if (!isStarted) throw new ClaimLost();
  if (attempt > MAX_ATTEMPTS) {
    const errorMessage = `The question was started ${MAX_ATTEMPTS} times, and the service stopped each time.`;
    await storeResult(ctx, run, question, consumer, { status: 'failed', errorMessage });
    return 'next';
  }
  try {
    const evaluated = await evaluateQuestion(ctx, run, question, hold.signal);
    await storeResult(ctx, run, question, consumer, {
      status: 'completed',
      errorMessage: null,
      ...evaluated,
    });
  } catch (error) {
    if (hold.signal.aborted) throw new ClaimLost();
    const isTemporary = !(error instanceof DomainError) || error.retryable;
    if (isTemporary && attempt < MAX_ATTEMPTS) return 'pause';
    ctx.log.warn('question failed', { runId: run.id, error: getErrorMessage(error) });
    const errorMessage = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
    await storeResult(ctx, run, question, consumer, { status: 'failed', errorMessage });
  }
  return 'next';
}

/** Changes the result of a question. Returns false if the consumer no longer holds the run. */
async function storeResult(
  ctx: Context,
  run: EvaluationRun,
  { questionId }: EvaluationResult,
  consumer: string,
  values: Partial<EvaluationResult>,
): Promise<boolean> {
  const isHeld = sql`exists (select 1 from evaluation_runs as run where run.id = ${run.id}
    and run.consumer = ${consumer} and run.status = 'RUNNING')`;
  const stored = await ctx.db
    .update(evaluationResults)
    .set(values)
    .where(and(eq(evaluationResults.runId, run.id), eq(evaluationResults.questionId, questionId), isHeld))
    .returning({ position: evaluationResults.position });
  return stored.length > 0;
}
