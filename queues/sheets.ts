import type { Context } from '#src/context/context.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { performSheets } from '#src/services/jobs/sheets/perform-sheets.ts';
import type { Message } from '#src/work/messages.ts';

export function sheets(ctx: Context, { jobId }: Message<'sheets'>): Promise<void> {
  return runJob(ctx, 'sheets', jobId, performSheets);
}
