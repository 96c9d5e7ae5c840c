import { and, eq, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import {
  type EvaluationRun,
  evaluationResults,
  evaluationRuns,
  type QuestionSet,
  questions,
  type RunLimits,
} from '#src/db/schema/index.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { getWritablePipeline } from '#src/services/pipelines/pipelines.ts';
import { type CountedQuestionSet, getQuestionSet } from './question-sets.ts';

/** Maximum number of runs of a project, and of its runs that have not ended. */
export const MAX_RUNS = 100;
export const MAX_OPEN_RUNS = 20;

export const questionSample = z.object({
  half: z
    .enum(['development', 'held_out'])
    .nullish()
    .describe(
      'Half of the questions, chosen at random once for each question. Choose settings with one half and report the ' +
        'result of the other, because the best of many settings is partly lucky.',
    ),
  share: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe(
      'Share of these questions. A larger share contains all questions of a smaller one. Default: 1.',
    ),
});
export type QuestionSample = z.infer<typeof questionSample>;

export const newRun = z
  .object({
    question_set_id: uuid(),
    pipeline_id: uuid().nullish().describe('Provide either this or `retriever_id`.'),
    retriever_id: uuid().nullish(),
    name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .nullish()
      .describe('Default: the evaluated pipeline and the time.'),
    retrieval_parameters: presetRetrievalParameters
      .nullish()
      .describe(
        'Parameters of the search. They take precedence over the preset of the pipeline. Measures such as recall@10 ' +
          'need at least 10 results.',
      ),
    sample: questionSample
      .nullish()
      .describe(
        'Part of the questions to evaluate. Default: all. The same sample always has the same questions.',
      ),
    answer: z
      .boolean()
      .nullish()
      .describe('Whether the questions are also answered as a chat would, and the answers measured.'),
  })
  .superRefine(requireOneTarget);
type NewRun = z.infer<typeof newRun>;

/** Reports an input that names both a pipeline and a retriever, or none of them. */
export function requireOneTarget({ pipeline_id, retriever_id }: TargetInput, context: z.RefinementCtx): void {
  if (Boolean(pipeline_id) !== Boolean(retriever_id)) return;
  const message = 'Provide either pipeline_id or retriever_id';
  context.addIssue({ code: 'custom', path: ['pipeline_id'], message });
}

interface TargetInput {
  pipeline_id?: string | null | undefined;
  retriever_id?: string | null | undefined;
}

/** Id and limits of a run that a schedule starts. */
interface Scheduled {
  id: string;
  limits: RunLimits;
}

/**
 * Records a run with a copy of all questions of the set, and returns before they are evaluated. The job intake of
 * the project continues the run, also after a crash. Scheduled runs do not count against the limits of a project.
 */
export async function createRun(
  ctx: TenantContext,
  input: NewRun,
  scheduled?: Scheduled,
): Promise<EvaluationRun> {
  const [first, target] = await Promise.all([
    getQuestionSet(ctx, input.question_set_id),
    getEvaluated(ctx, input),
  ]);
  if (target.projectId !== first.projectId) {
    throw Invalid.field(
      [input.pipeline_id ? 'pipeline_id' : 'retriever_id'],
      'The question set belongs to another project',
    );
  }
  return retryUntilWritten(async () => {
    const set = await getQuestionSet(ctx, first.id);
    if (set.questionCount === 0)
      throw new Conflict(`Question set ${set.id} has no questions. Add some first.`);
    const questionCount = await countSample(ctx, set, input.sample);
    if (questionCount === 0) throw Invalid.field(['sample'], 'The sample contains no question of the set');
    return insertRun(ctx, set, { ...target, input, questionCount, scheduled });
  });
}

/** Returns the pipeline or retriever to evaluate. Throws `NotFound` if the caller cannot access it. */
export async function getEvaluated(ctx: TenantContext, { pipeline_id, retriever_id }: TargetInput) {
  if (pipeline_id) {
    const { id, name, projectId } = await getWritablePipeline(ctx, pipeline_id);
    return { pipelineId: id, retrieverId: null, name, projectId };
  }
  const { id, name, projectId } = await getRetriever(ctx, retriever_id!);
  return { pipelineId: null, retrieverId: id, name, projectId };
}

/** Returns `undefined` if the questions of the set were changed since the set was read. */
async function insertRun(
  ctx: TenantContext,
  set: CountedQuestionSet,
  target: Awaited<ReturnType<typeof getEvaluated>> & {
    input: NewRun;
    questionCount: number;
    scheduled: Scheduled | undefined;
  },
): Promise<EvaluationRun | undefined> {
  const { input, questionCount, scheduled } = target;
  const row = buildRunRow({
    id: scheduled?.id ?? newId(),
    set,
    target,
    input,
    caller: describeCaller(ctx),
    userId: ctx.actor.userId,
    questionCount,
    limits: scheduled?.limits ?? null,
  });
  await ctx.objects.jobIntake(set.projectId).advanceEvaluation(row.id);
  const isUnchanged = sql`exists (select 1 from question_sets where id = ${set.id} and version = ${set.version})`;
  const hasRoom = scheduled
    ? sql`1`
    : sql`${countRuns(set.projectId)} < ${MAX_RUNS}
      and ${countRuns(set.projectId, sql`and status in ('PENDING', 'RUNNING')`)} < ${MAX_OPEN_RUNS}`;
  const condition = sql`${isUnchanged} and ${hasRoom}`;
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(evaluationRuns, row, condition)),
    copyQuestions(ctx, row),
  ]);
  const created = await ctx.db.query.evaluationRuns.findFirst({ where: eq(evaluationRuns.id, row.id) });
  if (!created && !scheduled) await requireRoom(ctx, set.projectId);
  return created;
}

interface RunFacts {
  id: string;
  set: QuestionSet;
  target: Pick<EvaluationRun, 'pipelineId' | 'retrieverId'> & { name: string };
  input: Pick<NewRun, 'name' | 'retrieval_parameters' | 'answer' | 'sample'>;
  caller: Record<string, unknown>;
  userId: string;
  questionCount: number;
  /** Null if no schedule started the run. */
  limits: RunLimits | null;
}

/** Returns the row of a run that has not started. */
export function buildRunRow({ id, set, target, input, limits, ...facts }: RunFacts): EvaluationRun {
  const now = new Date();
  return {
    ...facts,
    id,
    projectId: set.projectId,
    questionSetId: set.id,
    questionSetVersion: set.version,
    name: input.name ?? `${target.name.slice(0, 180)} ${now.toISOString().slice(0, 16).replace('T', ' ')}`,
    pipelineId: target.pipelineId,
    retrieverId: target.retrieverId,
    targetName: target.name,
    parameters: input.retrieval_parameters ?? {},
    hasAnswers: input.answer ?? false,
    status: 'PENDING',
    errorMessage: null,
    sample: input.sample ?? null,
    summary: null,
    isScheduled: limits !== null,
    limits,
    report: null,
    consumer: null,
    leaseUntil: null,
    finishedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Describes the access rights of the caller. The run searches only what the caller can access. */
export function describeCaller(ctx: TenantContext): Record<string, unknown> {
  const { organizationId, projectId, onlyProjectId, onlyOrganizationId } = ctx;
  const { defaultProject: _, sessionId: __, signedInUntil: ___, ...actor } = ctx.actor;
  return { actor, organizationId, projectId, onlyProjectId, onlyOrganizationId };
}

const countRuns = (projectId: string, condition: SQL = sql``): SQL =>
  sql`(select count(*) from evaluation_runs
    where project_id = ${projectId} and is_scheduled = 0 ${condition})`;

const countSample = async (ctx: TenantContext, set: CountedQuestionSet, sample: NewRun['sample']) =>
  sample
    ? ctx.db.$count(questions, and(eq(questions.questionSetId, set.id), isInSample(sample)))
    : set.questionCount;

/** Matches the questions of a sample. The last digits of their ids are random, so they decide. */
function isInSample(sample: QuestionSample | null | undefined): SQL {
  const half = { development: sql`< '8'`, held_out: sql`>= '8'` };
  const digits = 4;
  const bound = Math.ceil((sample?.share ?? 1) * 16 ** digits);
  return sql.join(
    [
      sql`1`,
      ...(sample?.half ? [sql`substr(${questions.id}, -1) ${half[sample.half]}`] : []),
      ...(bound < 16 ** digits
        ? [
            sql`substr(${questions.id}, ${-1 - digits}, ${digits}) < ${bound.toString(16).padStart(digits, '0')}`,
          ]
        : []),
    ],
    sql` and `,
  );
}

function copyQuestions(ctx: TenantContext, { id, questionSetId, sample }: EvaluationRun) {
  return ctx.db.insert(evaluationResults).select(sql`select ${id}, ${questions.projectId}, ${questions.id},
    row_number() over (order by ${questions.position}, ${questions.id}), ${questions.text}, ${questions.tags},
    ${questions.expectations}, ${questions.expectedAnswer}, ${questions.expectsRefusal}, 'pending', 0, null, null,
    null, null from ${questions} where ${questions.questionSetId} = ${questionSetId} and ${isInSample(sample)}
    and exists (select 1 from evaluation_runs where id = ${id})`);
}

async function requireRoom(ctx: TenantContext, projectId: string): Promise<void> {
  const where = and(eq(evaluationRuns.projectId, projectId), eq(evaluationRuns.isScheduled, false));
  const isOpen = sql`${evaluationRuns.status} in ('PENDING', 'RUNNING')`;
  if ((await ctx.db.$count(evaluationRuns, and(where, isOpen))) >= MAX_OPEN_RUNS) {
    throw new Conflict(`The project already has ${MAX_OPEN_RUNS} unfinished runs. Wait until one has ended.`);
  }
  if ((await ctx.db.$count(evaluationRuns, where)) >= MAX_RUNS) {
    throw new Conflict(`The project has ${MAX_RUNS} runs, which is the maximum. Delete others first.`);
  }
}
