import type { Context } from '#src/context/context.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { countCredits } from '#src/extraction/credits.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { fetchInput } from '../fetch-input.ts';
import { type OpenedDocument, openDocument } from '../open-document.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { classifyDocument } from './classify-document.ts';

export async function performClassify(
  ctx: Context,
  job: ClassifyJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const source = job.documentInputType === 'url' ? await fetchInput(ctx, 'classify', job, hold) : job;
  let opened: OpenedDocument | undefined;
  const { result, pages, partial } = await classifyDocument(
    ctx,
    {
      projectId: job.projectId,
      configuration: job.configuration,
      async open(parameters) {
        opened = await openDocument(ctx, 'classify', source, parameters, hold);
        return opened.document;
      },
    },
    hold,
    quota,
  );
  const { parseJobId, inserts } = opened!;
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result,
    partial,
    rowsToInsert: [...inserts, await buildUsageRow('classify', job, pages, countCredits('classify', pages))],
  };
}
