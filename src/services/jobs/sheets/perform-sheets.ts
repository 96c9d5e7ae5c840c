import type { Context } from '#src/context/context.ts';
import type { SheetsJob } from '#src/db/schema/index.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';

export async function performSheets(
  _ctx: Context,
  _job: SheetsJob,
  _hold: HeldLease,
  _quota: JobPages,
): Promise<FinishedWork> {
  throw new Error('unbuilt');
}
