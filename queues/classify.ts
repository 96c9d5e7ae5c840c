import type { Context } from '#src/context/context.ts';
import { performClassify } from '#src/services/jobs/classification/perform-classify.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import type { Message } from '#src/work/messages.ts';

export function classify(ctx: Context, { jobId }: Message<'classify'>): Promise<void> {
  return runJob(ctx, 'classify', jobId, performClassify);
}
