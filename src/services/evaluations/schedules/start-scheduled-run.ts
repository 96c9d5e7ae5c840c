import { and, desc, eq, sql } from 'drizzle-orm';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import {
  type EvaluationRun,
  type EvaluationSchedule,
  evaluationRuns,
  evaluationSchedules,
  questionSets,
} from '#src/db/schema/index.ts';
import { DomainError, Forbidden } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { findMemberRole } from '#src/services/tenancy/roles.ts';
import type { RunStep } from '../advance-run.ts';
import { removeRun } from '../delete-run.ts';
import { buildRunRow, createRun } from '../new-run.ts';
import { whereOpenRun } from '../run-state.ts';
import { buildRunDeliveries } from './deliveries.ts';
import { describeFailure } from './report.ts';

/**
 * Starts the run of a schedule if it is due. Can be repeated after a crash, because the id of a run is derived from
 * the time at which it is due. No run starts while the previous one has not ended.
 */
export async function advanceSchedule(ctx: Context, questionSetId: string): Promise<RunStep> {
  const schedule = await ctx.db.query.evaluationSchedules.findFirst({
    where: eq(evaluationSchedules.questionSetId, questionSetId),
  });
  if (!schedule) return { state: 'absent' };
  if (schedule.isPaused) return { state: 'ended' };
  const now = Date.now();
  const dueAt = schedule.nextRunAt.getTime();
  if (dueAt > now) return { state: 'running', checkAt: dueAt };
  const id = await derivedId('scheduled evaluation run', questionSetId, dueAt);
  if (!(await hasOpenRun(ctx, questionSetId))) await startRun(ctx, schedule, id);
  await removeOldRuns(ctx, schedule);
  const nextAt = computeNextTime(dueAt, schedule.intervalSeconds * 1000, now);
  // A schedule that was saved in the meantime keeps its own time.
  await ctx.db
    .update(evaluationSchedules)
    .set({ nextRunAt: new Date(nextAt), updatedAt: schedule.updatedAt })
    .where(
      and(
        eq(evaluationSchedules.questionSetId, questionSetId),
        eq(evaluationSchedules.nextRunAt, schedule.nextRunAt),
      ),
    );
  return { state: 'running', checkAt: nextAt };
}

/** Returns the next time of a schedule after now. Times that passed while the service was stopped are left out. */
const computeNextTime = (dueAt: number, intervalMs: number, now: number): number =>
  dueAt + intervalMs * (1 + Math.floor((now - dueAt) / intervalMs));

async function hasOpenRun({ db }: Context, questionSetId: string): Promise<boolean> {
  const where = and(
    eq(evaluationRuns.questionSetId, questionSetId),
    eq(evaluationRuns.isScheduled, true),
    whereOpenRun('retrieval'),
  );
  return (await db.$count(evaluationRuns, where)) > 0;
}

/** Creates the run. If this is impossible, the run is stored as failed, so that somebody learns about it. */
async function startRun(ctx: Context, schedule: EvaluationSchedule, id: string): Promise<void> {
  const known = await ctx.db.query.evaluationRuns.findFirst({
    columns: { id: true },
    where: eq(evaluationRuns.id, id),
  });
  if (known) return;
  try {
    await createRun(
      await actAsSaver(ctx, schedule),
      {
        question_set_id: schedule.questionSetId,
        pipeline_id: schedule.pipelineId,
        retriever_id: schedule.retrieverId,
        retrieval_parameters: schedule.parameters,
        answer: schedule.hasAnswers,
      },
      { id, limits: schedule.limits },
    );
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
    ctx.log.warn('scheduled evaluation run not started', { runId: id, error: error.message });
    await insertFailedRun(ctx, schedule, id, error.message);
  }
}

/** Returns the context of the user who saved the schedule, with the role that the user has now. */
async function actAsSaver(ctx: Context, { caller, userId }: EvaluationSchedule): Promise<TenantContext> {
  const saved = caller as unknown as Omit<TenantContext, keyof Context>;
  const role = await findMemberRole(ctx, userId, saved.organizationId);
  if (role !== 'admin' && role !== 'member') {
    throw new Forbidden('The user who saved the schedule can no longer write to the project. Save it again.');
  }
  const actor: Actor = { ...saved.actor, keyId: null, role };
  return { ...ctx, ...saved, actor, isWriting: true };
}

async function insertFailedRun(
  ctx: Context,
  schedule: EvaluationSchedule,
  id: string,
  message: string,
): Promise<void> {
  const set = await ctx.db.query.questionSets.findFirst({
    where: eq(questionSets.id, schedule.questionSetId),
  });
  if (!set) return;
  const at = new Date();
  const run: EvaluationRun = {
    ...buildRunRow({
      id,
      set,
      target: {
        pipelineId: schedule.pipelineId,
        retrieverId: schedule.retrieverId,
        name: schedule.targetName,
      },
      input: { retrieval_parameters: schedule.parameters, answer: schedule.hasAnswers },
      caller: schedule.caller,
      userId: schedule.userId,
      questionCount: 0,
      limits: schedule.limits,
    }),
    status: 'FAILED',
    errorMessage: message,
    summary: { completed: 0, failed: 0, scored: 0, metrics: {} },
    report: describeFailure(message),
    finishedAt: at,
  };
  const exists = sql`exists (select 1 from question_sets where id = ${set.id})`;
  // The intake announces deliveries again if this request ends before they are announced.
  await ctx.objects.jobIntake(set.projectId).advanceEvaluation(id);
  const deliveries = await buildRunDeliveries(ctx, run, set.name, at);
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(evaluationRuns, run, exists)),
    ...deliveries.map((row) => buildConditionalInsert(ctx, row)),
  ]);
}

/** Deletes scheduled runs beyond the number that the schedule keeps, oldest first. */
async function removeOldRuns(ctx: Context, { questionSetId, keepRuns }: EvaluationSchedule): Promise<void> {
  const old = await ctx.db.query.evaluationRuns.findMany({
    columns: { id: true, projectId: true },
    where: and(eq(evaluationRuns.questionSetId, questionSetId), eq(evaluationRuns.isScheduled, true)),
    orderBy: [desc(evaluationRuns.createdAt), desc(evaluationRuns.id)],
    offset: keepRuns,
    limit: 100,
  });
  for (const run of old) await removeRun(ctx, run);
}
