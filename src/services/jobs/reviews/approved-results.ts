import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, iteratePages } from '#src/db/paging.ts';
import {
  classifyJobs,
  classifyReviews,
  extractJobs,
  extractReviews,
  parseJobs,
} from '#src/db/schema/index.ts';
import { applyCorrections } from '#src/extraction/corrections.ts';
import { iterateJobResults } from '../extraction/read-result.ts';
import type { ReviewedKind } from './reviews.ts';

/** Number of approved results that are read at once. */
const RESULTS_PER_READ = 20;

/** Result of a job that a reviewer has approved. */
export interface ApprovedResult {
  jobId: string;
  /** File of the job. Null if the job read something else, or if its parse job was deleted. */
  fileId: string | null;
  /** Hash of the content that the job read. Null if its parse job was deleted. */
  contentHash: string | null;
  /** Corrected values of an extraction, or corrected type of a classification. */
  value: unknown;
}

/** Jobs whose approved results are read: some by their ids, or all of a saved configuration. */
export type ApprovedSelection = { jobIds: readonly string[] } | { configurationId: string };

/** Yields the approved results of a project, newest approval first. Few results are in memory at a time. */
export function iterateApprovedResults(
  ctx: Context,
  kind: ReviewedKind,
  projectId: string,
  selection: ApprovedSelection,
): AsyncGenerator<ApprovedResult> {
  return kind === 'extract'
    ? iterateExtractions(ctx, projectId, selection)
    : iterateClassifications(ctx, projectId, selection);
}

async function* iterateExtractions(
  ctx: Context,
  projectId: string,
  selection: ApprovedSelection,
): AsyncGenerator<ApprovedResult> {
  const { id, status, result, resultMetadata, fileId } = extractJobs;
  const pages = iteratePages(
    (after, limit) =>
      ctx.db
        .select({
          review: extractReviews,
          job: { id, projectId: extractJobs.projectId, status, result, resultMetadata, fileId },
          parse: { fileId: parseJobs.fileId, contentHash: parseJobs.contentHash },
        })
        .from(extractReviews)
        .innerJoin(extractJobs, eq(extractJobs.id, extractReviews.jobId))
        .leftJoin(parseJobs, eq(parseJobs.id, extractJobs.parseJobId))
        .where(
          and(
            eq(extractReviews.projectId, projectId),
            'jobIds' in selection
              ? isInList(extractReviews.jobId, [...selection.jobIds])
              : eq(extractJobs.configurationId, selection.configurationId),
            eq(extractReviews.isApproved, true),
            sql`${extractReviews.revision} = (select max(own.revision) from extract_reviews own
              where own.job_id = ${extractReviews.jobId})`,
            isInNoDeletedBatch(extractJobs.batchId),
            afterKey([extractReviews.createdAt, extractReviews.id], after, 'desc'),
          ),
        )
        .orderBy(desc(extractReviews.createdAt), desc(extractReviews.id))
        .limit(limit),
    ({ review }) => [review.createdAt.getTime(), review.id],
    RESULTS_PER_READ,
  );
  for await (const page of pages) {
    const results = iterateJobResults(
      ctx,
      page.map(({ job }) => job),
    );
    for (const { job, parse, review } of page) {
      const { value: found } = await results.next();
      if (!found) continue;
      yield {
        jobId: job.id,
        fileId: job.fileId ?? parse?.fileId ?? null,
        contentHash: parse?.contentHash ?? null,
        value: applyCorrections(found.result, review.corrections),
      };
    }
  }
}

async function* iterateClassifications(
  ctx: Context,
  projectId: string,
  selection: ApprovedSelection,
): AsyncGenerator<ApprovedResult> {
  const { id, result, fileId } = classifyJobs;
  const pages = iteratePages(
    (after, limit) =>
      ctx.db
        .select({
          review: classifyReviews,
          job: { id, result, fileId },
          parse: { fileId: parseJobs.fileId, contentHash: parseJobs.contentHash },
        })
        .from(classifyReviews)
        .innerJoin(classifyJobs, eq(classifyJobs.id, classifyReviews.jobId))
        .leftJoin(parseJobs, eq(parseJobs.id, classifyJobs.parseJobId))
        .where(
          and(
            eq(classifyReviews.projectId, projectId),
            'jobIds' in selection
              ? isInList(classifyReviews.jobId, [...selection.jobIds])
              : eq(classifyJobs.configurationId, selection.configurationId),
            eq(classifyReviews.isApproved, true),
            sql`${classifyReviews.revision} = (select max(own.revision) from classify_reviews own
              where own.job_id = ${classifyReviews.jobId})`,
            isInNoDeletedBatch(classifyJobs.batchId),
            afterKey([classifyReviews.createdAt, classifyReviews.id], after, 'desc'),
          ),
        )
        .orderBy(desc(classifyReviews.createdAt), desc(classifyReviews.id))
        .limit(limit),
    ({ review }) => [review.createdAt.getTime(), review.id],
    RESULTS_PER_READ,
  );
  for await (const page of pages) {
    for (const { job, parse, review } of page) {
      if (!job.result) continue;
      yield {
        jobId: job.id,
        fileId: job.fileId ?? parse?.fileId ?? null,
        contentHash: parse?.contentHash ?? null,
        value: review.corrections ? review.corrections.type : job.result.type,
      };
    }
  }
}
