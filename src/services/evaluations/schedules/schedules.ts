import { eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type EvaluationSchedule, evaluationSchedules } from '#src/db/schema/index.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { getWebhookConfig } from '#src/services/webhooks/configs.ts';
import { describeCaller, getEvaluated } from '../new-run.ts';
import { getQuestionSet } from '../question-sets.ts';
import { DEFAULT_KEPT_RUNS, DEFAULT_METRIC, MAX_SCHEDULES, type NewSchedule } from './input.ts';

/** Returns the schedule of a question set. Throws `NotFound` if the set has none. */
export async function getSchedule(ctx: TenantContext, questionSetId: string): Promise<EvaluationSchedule> {
  const set = await getQuestionSet(ctx, questionSetId);
  const row = await ctx.db.query.evaluationSchedules.findFirst({
    where: eq(evaluationSchedules.questionSetId, set.id),
  });
  if (!row) throw new NotFound('Evaluation schedule', questionSetId);
  return row;
}

/**
 * Creates or replaces the schedule of a question set. The first run of a new schedule starts at once. A changed
 * interval counts from now.
 */
export async function putSchedule(
  ctx: TenantContext,
  questionSetId: string,
  input: NewSchedule,
): Promise<EvaluationSchedule> {
  const set = await getQuestionSet(ctx, questionSetId);
  const target = await getEvaluated(ctx, input);
  if (target.projectId !== set.projectId) {
    // The answer is the same as for a target that does not exist.
    const [kind, id] = input.pipeline_id
      ? (['Pipeline', input.pipeline_id] as const)
      : (['Retriever', input.retriever_id!] as const);
    throw new NotFound(kind, id);
  }
  const endpoints = await findEndpoints(ctx, set.projectId, input.webhook_configuration_ids ?? []);
  const before = await ctx.db.query.evaluationSchedules.findFirst({
    where: eq(evaluationSchedules.questionSetId, set.id),
  });
  const now = new Date();
  const changes = {
    userId: ctx.actor.userId,
    pipelineId: target.pipelineId,
    retrieverId: target.retrieverId,
    targetName: target.name,
    parameters: input.retrieval_parameters ?? {},
    hasAnswers: input.answer ?? false,
    intervalSeconds: input.interval_seconds,
    isPaused: input.paused ?? false,
    keepRuns: input.keep_runs ?? DEFAULT_KEPT_RUNS,
    limits: {
      at_least: input.at_least ?? {},
      at_most: input.at_most ?? {},
      metric: input.metric ?? DEFAULT_METRIC,
      webhook_configuration_ids: endpoints,
    },
    caller: describeCaller(ctx),
    nextRunAt: computeNextRun(before, input.interval_seconds, now),
    updatedAt: now,
  };
  const intake = ctx.objects.jobIntake(set.projectId);
  // The intake is notified before the row is written, so that a crash in between loses no schedule.
  await intake.scheduleEvaluations(set.id);
  if (before) {
    await ctx.db
      .update(evaluationSchedules)
      .set(changes)
      .where(eq(evaluationSchedules.questionSetId, set.id));
  } else {
    const row = { questionSetId: set.id, projectId: set.projectId, createdAt: now, ...changes };
    const count = sql`(select count(*) from evaluation_schedules where project_id = ${set.projectId})`;
    const hasRoom = sql`${count} < ${MAX_SCHEDULES}`;
    await buildConditionalInsert(ctx, createConditionalRow(evaluationSchedules, row, hasRoom));
  }
  await intake.scheduleEvaluations(set.id);
  const saved = await ctx.db.query.evaluationSchedules.findFirst({
    where: eq(evaluationSchedules.questionSetId, set.id),
  });
  if (saved) return saved;
  throw new Conflict(
    `The project has ${MAX_SCHEDULES} schedules, which is the maximum. Delete others first.`,
  );
}

/** Deletes the schedule of a question set. Its runs stay. */
export async function deleteSchedule(ctx: TenantContext, questionSetId: string): Promise<void> {
  const { questionSetId: id } = await getSchedule(ctx, questionSetId);
  await ctx.db.delete(evaluationSchedules).where(eq(evaluationSchedules.questionSetId, id));
}

function computeNextRun(before: EvaluationSchedule | undefined, intervalSeconds: number, now: Date): Date {
  if (!before) return now;
  if (before.intervalSeconds === intervalSeconds) return before.nextRunAt;
  return new Date(now.getTime() + intervalSeconds * 1000);
}

/** Returns the ids of saved endpoints of the project. Throws Invalid if one of them does not exist. */
async function findEndpoints(ctx: TenantContext, projectId: string, ids: string[]): Promise<string[]> {
  const found = await Promise.all(
    [...new Set(ids)].map(async (id, index) => {
      const row = await getWebhookConfig(ctx, id).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      });
      if (row?.projectId === projectId) return row.id;
      throw Invalid.field(
        ['webhook_configuration_ids', index],
        `The project has no webhook configuration with the id '${id}'`,
      );
    }),
  );
  return [...new Set(found)];
}
