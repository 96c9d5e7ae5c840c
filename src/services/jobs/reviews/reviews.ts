import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import {
  type ClassifyJob,
  classifyReviews,
  type ExtractJob,
  type ExtractReview,
  extractReviews,
  members,
  projects,
} from '#src/db/schema/index.ts';
import { checkCorrections } from '#src/extraction/corrections.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest, Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { readResult } from '../extraction/read-result.ts';
import { getJob } from '../jobs.ts';
import { TABLE_NAME } from '../kinds.ts';

export type ReviewedKind = 'extract' | 'classify';

const MAX_CORRECTIONS = 500;
const MAX_CORRECTION_CHARACTERS = 200_000;
/** Number of revisions of a review that are kept. Older ones are deleted. */
export const MAX_REVISIONS = 200;

const common = {
  revision: z
    .int()
    .min(0)
    .describe('Revision that you have read, or 0 if there is no review. Answers 409 if it has changed.'),
  approved: z.boolean().describe('Whether you approve the result with these corrections.'),
};

export const extractReviewChange = z.object({
  ...common,
  corrections: z
    .record(z.string().max(2_000), z.unknown())
    .refine((given) => Object.keys(given).length <= MAX_CORRECTIONS, {
      error: `must have at most ${MAX_CORRECTIONS} corrections`,
    })
    .refine((given) => JSON.stringify(given).length <= MAX_CORRECTION_CHARACTERS, {
      error: `must have at most ${MAX_CORRECTION_CHARACTERS} characters as JSON`,
    })
    .describe('All corrected values by JSON pointer, such as {"/total": 12.5}. They replace earlier ones.'),
});

export const classifyReviewChange = z.object({
  ...common,
  corrections: z
    .object({ type: z.string().max(1_000).nullable().describe('A type of the rules. Null if none fits.') })
    .nullish()
    .describe('Corrected type. Null keeps the type of the job.'),
});

type Change = { revision: number; approved: boolean };
/** Row of a review. The tables for extract and classify jobs differ only in the type of the corrections. */
export type ReviewRow = Omit<ExtractReview, 'corrections'> & { corrections: Record<string, unknown> | null };

/**
 * Returns the table of the reviews of a kind of job with the type of the extract reviews. Their corrections
 * may be null for classify jobs.
 */
export function getReviewTable(kind: ReviewedKind): typeof extractReviews {
  return kind === 'extract' ? extractReviews : (classifyReviews as unknown as typeof extractReviews);
}

/** Change of a review without its corrections. The corrections of all revisions together may take megabytes. */
export type HistoryRow = Omit<ReviewRow, 'corrections' | 'id' | 'projectId' | 'jobId'>;

export interface Review {
  jobId: string;
  /** Revision with its corrections. Undefined if nobody has reviewed the job. */
  shown: ReviewRow | undefined;
  /** Changes of the review, newest first. */
  history: Page<HistoryRow>;
}

export interface ReviewQuery {
  /** Revision to show. Defaults to the current one. */
  revision?: number | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

/** Returns one revision of a job's review and a page of its history. Throws NotFound for a missing revision. */
export async function getReview(
  ctx: TenantContext,
  kind: ReviewedKind,
  jobId: string,
  query: ReviewQuery = {},
): Promise<Review> {
  const { id } = await getJob(ctx, kind, jobId);
  const review = await readReview(ctx, kind, id, query);
  if (query.revision && !review.shown) throw new NotFound('Revision', String(query.revision));
  return review;
}

async function readReview(
  ctx: Context,
  kind: ReviewedKind,
  jobId: string,
  { revision, page_size, page_token }: ReviewQuery = {},
): Promise<Review> {
  const table = getReviewTable(kind);
  const after = parsePageToken(page_token, ['number']);
  const pageSize = page_size ?? DEFAULT_PAGE_SIZE;
  const isOwn = eq(table.jobId, jobId);
  const { corrections: _, id: _id, projectId: _project, jobId: _job, ...columns } = getTableColumns(table);
  const [[shown], changes] = await ctx.db.batch([
    ctx.db
      .select()
      .from(table)
      .where(and(isOwn, revision ? eq(table.revision, revision) : undefined))
      .orderBy(desc(table.revision))
      .limit(1),
    ctx.db
      .select(columns)
      .from(table)
      .where(and(isOwn, afterKey([table.revision], after, 'desc')))
      .orderBy(desc(table.revision))
      .limit(pageSize + 1),
  ]);
  return { jobId, shown, history: buildPage(changes, pageSize, (row) => [row.revision]) };
}

export async function reviewExtraction(
  ctx: TenantContext,
  jobId: string,
  change: z.infer<typeof extractReviewChange>,
) {
  const job = await getJob<ExtractJob>(ctx, 'extract', jobId);
  const found = requireCompleted(await readResult(ctx, job));
  const { data_schema, extraction_target: target } = job.configuration;
  const isList = target === 'per_page' || target === 'per_table_row';
  const issues = checkCorrections(data_schema as JsonSchema, found.result, change.corrections, isList);
  if (issues.length > 0) {
    throw new Invalid(
      issues.map(({ pointer, message }) => ({
        loc: ['body', 'corrections', pointer],
        msg: message,
        type: 'value_error',
      })),
    );
  }
  return addRevision(ctx, 'extract', job, change, change.corrections);
}

export async function reviewClassification(
  ctx: TenantContext,
  jobId: string,
  change: z.infer<typeof classifyReviewChange>,
) {
  const job = await getJob<ClassifyJob>(ctx, 'classify', jobId);
  requireCompleted(job.status === 'COMPLETED' ? job.result : undefined);
  const type = change.corrections?.type;
  const { rules } = job.configuration as { rules: { type: string }[] };
  if (typeof type === 'string' && !rules.some((rule) => rule.type === type)) {
    const known = rules.map((rule) => rule.type).join(', ');
    throw Invalid.field(['corrections', 'type'], `must be null or one of the job's types: ${known}`);
  }
  return addRevision(ctx, 'classify', job, change, change.corrections ?? null);
}

function requireCompleted<Result>(result: Result | null | undefined): Result {
  if (result) return result;
  throw new BadRequest('inputs_invalid: only a completed job with a result can be reviewed');
}

/** Adds a revision unless another one was added since the caller has read the review. */
async function addRevision(
  ctx: TenantContext,
  kind: ReviewedKind,
  job: { id: string; projectId: string },
  { revision, approved }: Change,
  corrections: Record<string, unknown> | null,
) {
  const table = getReviewTable(kind);
  const name = sql.raw(`${kind}_reviews`);
  const row = {
    id: newId(),
    projectId: job.projectId,
    jobId: job.id,
    revision: revision + 1,
    isApproved: approved,
    corrections: corrections as Record<string, unknown>,
    userId: ctx.actor.userId,
    userName: await findUserName(ctx, job.projectId),
    createdAt: new Date(),
  };
  const isCurrent = sql`exists (select 1 from ${sql.raw(TABLE_NAME[kind])} where id = ${job.id})
    and coalesce((select max(own.revision) from ${name} own where own.job_id = ${job.id}), 0) = ${revision}`;
  const [inserted] = await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(table, row, isCurrent)),
    // The stored maximum is used, because the caller's revision may be wrong and then nothing was inserted.
    ctx.db
      .delete(table)
      .where(
        and(
          eq(table.jobId, job.id),
          sql`${table.revision} <= (select max(own.revision) from ${name} own where own.job_id = ${job.id}) - ${MAX_REVISIONS}`,
        ),
      ),
  ]);
  if (inserted.meta.changes === 0) {
    const { shown } = await readReview(ctx, kind, job.id);
    throw new Conflict(
      `The review has revision ${shown?.revision ?? 0}, and not ${revision}. Read it again before you change it.`,
    );
  }
  return readReview(ctx, kind, job.id);
}

/** Returns the caller's name in the organization of the project, or null if the caller is no member. */
async function findUserName(ctx: TenantContext, projectId: string): Promise<string | null> {
  const [row] = await ctx.db
    .select({ name: members.name })
    .from(members)
    .innerJoin(projects, eq(projects.organizationId, members.organizationId))
    .where(and(eq(projects.id, projectId), eq(members.userId, ctx.actor.userId)));
  return row?.name ?? null;
}
