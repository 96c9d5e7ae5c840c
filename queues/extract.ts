import type { Context } from '#src/context/context.ts';
import { performExtract } from '#src/services/jobs/extraction/perform-extract.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import type { Message } from '#src/work/messages.ts';

export function extract(ctx: Context, { jobId }: Message<'extract'>): Promise<void> {
  return runJob(ctx, 'extract', jobId, performExtract);
}
