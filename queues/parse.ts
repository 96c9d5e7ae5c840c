import type { Context } from '#src/context/context.ts';
import { performParse } from '#src/services/jobs/parse/perform-parse.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { findJob } from '#src/services/jobs/transitions.ts';
import type { Message } from '#src/work/messages.ts';

/**
 * Runs the next parse job of the project, in order of priority, which need not be the job that the message
 * names. This also happens if the named job was deleted, because another job may have been waiting for the
 * message.
 */
export async function parse(ctx: Context, { jobId, projectId }: Message<'parse'>): Promise<void> {
  const project = projectId ?? (await findJob(ctx, 'parse', jobId))?.projectId;
  const next = project ? await ctx.objects.jobIntake(project).take(jobId) : jobId;
  if (next) await runJob(ctx, 'parse', next, performParse);
}
