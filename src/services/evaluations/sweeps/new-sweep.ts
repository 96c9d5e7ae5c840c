import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type EvaluationSweep, evaluationSweeps } from '#src/db/schema/index.ts';
import { BudgetTooSmall, planShares } from '#src/evaluation/halving.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { createWriterContext, resolveReferences } from '#src/services/pipelines/configuration.ts';
import { getPipelineForInserts } from '#src/services/pipelines/pipelines.ts';
import { describeCaller } from '../new-run.ts';
import { getQuestionSet } from '../question-sets.ts';
import { buildCandidates } from './candidates.ts';
import { DEFAULT_BUDGET, MAX_OPEN_SWEEPS, MAX_SWEEPS, MIN_QUESTIONS, type NewSweep } from './input.ts';
import { countHalf, countShare, insertItems } from './rounds.ts';

/**
 * Records a sweep with the questions of its first round, and returns before they are evaluated. The job intake of the
 * project continues the sweep, also after a crash.
 */
export async function createSweep(ctx: TenantContext, input: NewSweep): Promise<string> {
  const [first, pipeline] = await Promise.all([
    getQuestionSet(ctx, input.question_set_id),
    getPipelineForInserts(ctx, input.pipeline_id),
  ]);
  if (pipeline.projectId !== first.projectId)
    throw Invalid.field(['pipeline_id'], 'The question set belongs to another project');
  const { variants, candidates } = buildCandidates(input);
  const writer = await createWriterContext(ctx, pipeline.projectId);
  for (const embedding_model_config_id of input.embedding_model_config_ids ?? []) {
    await resolveReferences(writer, { embedding_model_config_id });
  }
  const created = await retryUntilWritten(async () => {
    const set = await getQuestionSet(ctx, first.id);
    const createdAt = new Date();
    const swept = { questionSetId: set.id, createdAt };
    const development = await countHalf(ctx, swept, 'development');
    const heldOut = await countHalf(ctx, swept, 'held_out');
    if (development === 0 || heldOut === 0 || development + heldOut < MIN_QUESTIONS) {
      throw new Conflict(
        `Question set ${set.id} has ${development + heldOut} questions with expected results. A sweep needs at least ${MIN_QUESTIONS}.`,
      );
    }
    const budget = input.budget ?? DEFAULT_BUDGET;
    const row: EvaluationSweep = {
      id: newId(),
      projectId: set.projectId,
      questionSetId: set.id,
      questionSetVersion: set.version,
      userId: ctx.actor.userId,
      name:
        input.name ??
        `${pipeline.name.slice(0, 180)} ${createdAt.toISOString().slice(0, 16).replace('T', ' ')}`,
      pipelineId: pipeline.id,
      targetName: pipeline.name,
      metric: input.metric ?? 'ndcg@10',
      budget,
      variants,
      candidates,
      shares: planRounds(candidates.length, development, budget, 2 * heldOut),
      caller: describeCaller(ctx),
      status: 'PENDING',
      errorMessage: null,
      consumer: null,
      leaseUntil: null,
      finishedAt: null,
      phase: variants.length > 0 ? 'indexing' : 'development',
      rounds: [],
      remaining: [...candidates.keys()],
      result: null,
      createdAt,
      updatedAt: createdAt,
    };
    return insertSweep(ctx, row, development);
  });
  return created.id;
}

/** Plans the rounds, so that they and the comparison at the end stay within the budget. */
function planRounds(candidates: number, development: number, budget: number, comparison: number): number[] {
  try {
    return planShares(candidates, development, budget - comparison);
  } catch (error) {
    if (!(error instanceof BudgetTooSmall)) throw error;
    throw Invalid.field(
      ['budget'],
      `must be at least ${error.least + comparison} for ${candidates} settings and this question set`,
    );
  }
}

/** Returns `undefined` if the questions of the set were changed since the set was read. */
async function insertSweep(
  ctx: TenantContext,
  row: EvaluationSweep,
  development: number,
): Promise<EvaluationSweep | undefined> {
  await ctx.objects.jobIntake(row.projectId).advanceEvaluation(row.id);
  const condition = sql`exists (select 1 from question_sets where id = ${row.questionSetId}
      and version = ${row.questionSetVersion})
    and ${countSweeps(row.projectId)} < ${MAX_SWEEPS}
    and ${countSweeps(row.projectId, IS_OPEN)} < ${MAX_OPEN_SWEEPS}`;
  const items = {
    half: 'development',
    count: countShare(row.shares[0]!, development),
    candidates: row.remaining,
    round: 0,
  } as const;
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(evaluationSweeps, row, condition)),
    insertItems(ctx, row, items, sql`exists (select 1 from evaluation_sweeps where id = ${row.id})`),
  ]);
  const created = await ctx.db.query.evaluationSweeps.findFirst({ where: eq(evaluationSweeps.id, row.id) });
  if (!created) await requireRoom(ctx, row.projectId);
  return created;
}

const IS_OPEN = sql`and status in ('PENDING', 'RUNNING')`;

const countSweeps = (projectId: string, condition: SQL = sql``): SQL =>
  sql`(select count(*) from evaluation_sweeps where project_id = ${projectId} ${condition})`;

async function requireRoom(ctx: TenantContext, projectId: string): Promise<void> {
  const own = eq(evaluationSweeps.projectId, projectId);
  const isOpen = sql`${evaluationSweeps.status} in ('PENDING', 'RUNNING')`;
  if ((await ctx.db.$count(evaluationSweeps, and(own, isOpen))) >= MAX_OPEN_SWEEPS) {
    throw new Conflict(
      `The project already has ${MAX_OPEN_SWEEPS} unfinished sweeps. Wait until one has ended.`,
    );
  }
  if ((await ctx.db.$count(evaluationSweeps, own)) >= MAX_SWEEPS) {
    throw new Conflict(`The project has ${MAX_SWEEPS} sweeps, which is the maximum. Delete others first.`);
  }
}
