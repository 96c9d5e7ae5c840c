import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { MAX_PARALLEL } from '#src/lib/async/in-parallel.ts';

/** Columns of a job that are needed to read its result. */
export type StoredResult = Pick<ExtractJob, 'id' | 'projectId' | 'status' | 'result' | 'resultMetadata'>;

export interface JobResult {
  result: unknown;
  metadata: Record<string, unknown>;
}

/**
 * Returns the result and metadata of a job from its row or from the bucket. Returns `undefined` if the job
 * has not completed.
 */
export async function readResult(ctx: Context, job: StoredResult): Promise<JobResult | undefined> {
  return (await openResult(ctx, job)).read();
}

/** Total size in bytes of the results that `iterateJobResults` reads before they are needed. */
const READ_AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * Yields the results of jobs in the order of the jobs, and `undefined` for jobs without a result. A few results are read
 * from the bucket at the same time. Results that are too large for this are read one at a time.
 */
export async function* iterateJobResults(
  ctx: Context,
  jobs: readonly (StoredResult | undefined)[],
): AsyncGenerator<JobResult | undefined> {
  for (let from = 0; from < jobs.length; from += MAX_PARALLEL) {
    const some = jobs.slice(from, from + MAX_PARALLEL);
    const opened = await Promise.all(some.map((job) => job && openResult(ctx, job)));
    let bytes = 0;
    const reads: (() => Promise<JobResult | undefined>)[] = [];
    for (const [at, each] of opened.entries()) {
      bytes += each?.size ?? 0;
      if (bytes <= READ_AHEAD_BYTES) {
        const reading = each?.read() ?? Promise.resolve(undefined);
        // An error is thrown when the result is needed, which may be after other results were sent.
        reading.catch(() => {});
        reads.push(() => reading);
      } else {
        await each?.discard();
        reads.push(() => readResult(ctx, some[at]!));
      }
    }
    for (const read of reads) yield await read();
  }
}

interface OpenedResult {
  /** Size in bytes of the stored object. 0 if nothing has to be read from the bucket. */
  size: number;
  read(): Promise<JobResult | undefined>;
  discard(): Promise<void>;
}

async function openResult(ctx: Context, job: StoredResult): Promise<OpenedResult> {
  const isInRow = job.status === 'COMPLETED' && job.resultMetadata !== null;
  const known = isInRow ? { result: job.result, metadata: job.resultMetadata! } : undefined;
  const object =
    job.status === 'COMPLETED' && !known
      ? await ctx.bucket.get(keys.jobResult(job.projectId, job.id))
      : undefined;
  if (!object) return { size: 0, read: async () => known, discard: async () => {} };
  return { size: object.size, read: () => object.json(), discard: () => object.body.cancel() };
}
