import type { Context } from '#src/context.ts';
import { performParse } from '#src/services/jobs/perform-parse.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import type { Message } from './messages.ts';

export function parse(ctx: Context, { jobId }: Message<'parse'>): Promise<void> {
  return runJob(ctx, 'parse', jobId, performParse);
}
