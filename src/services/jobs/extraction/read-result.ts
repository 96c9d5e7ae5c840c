import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';

/** Columns of a job that are needed to read its result. */
export type StoredResult = Pick<ExtractJob, 'id' | 'projectId' | 'status' | 'result' | 'resultMetadata'>;

/**
 * Returns the result and metadata of a job from its row or from the bucket. Returns `undefined` if the job
 * has not completed.
 */
export async function readResult(
  ctx: Context,
  job: StoredResult,
): Promise<{ result: unknown; metadata: Record<string, unknown> } | undefined> {
  if (job.status !== 'COMPLETED') return undefined;
  if (job.resultMetadata) return { result: job.result, metadata: job.resultMetadata };
  const object = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  return object?.json();
}
