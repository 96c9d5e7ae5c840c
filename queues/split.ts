import type { Context } from '#src/context/context.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { performSplit } from '#src/services/jobs/splitting/perform-split.ts';
import type { Message } from '#src/work/messages.ts';

export function split(ctx: Context, { jobId }: Message<'split'>): Promise<void> {
  return runJob(ctx, 'split', jobId, performSplit);
}
