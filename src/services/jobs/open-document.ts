import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { ConditionalRow } from '#src/db/conditional-insert.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { files, type ParseJob, parseJobs } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { openJobWebhooks } from '#src/services/webhooks/secrets.ts';
import { filterParseSubscribers } from '#src/webhook-protocol/parse-endpoints.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { hasStatus } from './job-events.ts';
import type { Job } from './kinds.ts';
import { type ParsedDocument, parseForJob } from './pages.ts';
import { buildParseRecord, parseAndReport } from './record-parse.ts';

export interface OpenedDocument {
  document: ParsedDocument;
  parseJobId: string;
  /**
   * Rows that record the parse, to be inserted with the job's result. Empty if the input was an existing
   * parse job.
   */
  inserts: ConditionalRow[];
}

/**
 * Returns the document of a job that reads a parsed file. It comes from a finished parse job, or the file is
 * parsed now.
 */
export async function openDocument(
  ctx: Context,
  kind: Exclude<JobKind, 'parse'>,
  job: Exclude<Job, ParseJob>,
  parameters: ParseParameters,
  hold: HeldLease,
): Promise<OpenedDocument> {
  if (job.documentInputType === 'parse_job_id') {
    const parseJobId = job.parseJobId!;
    return { document: await getParsedDocument(ctx, parseJobId), parseJobId, inserts: [] };
  }
  const fileId = job.fileId!;
  const id = `pjb-${await derivedId('parse of job', job.id)}`;
  const listeners = filterParseSubscribers(await openJobWebhooks(ctx, job.id, job.webhookConfigurations));
  const parse = { id, projectId: job.projectId, userId: job.userId, fileId, parameters, listeners };
  const document = await parseAndReport(ctx, parse, hasStatus(kind, job.id, 'RUNNING'), () =>
    parseForJob(ctx, fileId, parameters, hold),
  );
  const record = await buildParseRecord(ctx, parse, document, hasStatus(kind, job.id, 'COMPLETED'));
  return { document, parseJobId: id, inserts: [record] };
}

/** Returns the parsed document of a completed parse job. Throws ParseError if its result was deleted. */
export async function getParsedDocument(ctx: Context, id: string): Promise<ParsedDocument> {
  const row = await ctx.db.query.parseJobs.findFirst({
    where: and(eq(parseJobs.id, id), isInNoDeletedBatch(parseJobs.batchId)),
  });
  if (!row?.contentHash || !row.configHash || row.pageCount === null) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', `Parse job ${id} was deleted or has no result.`);
  }
  const file = row.fileId
    ? await ctx.db.query.files.findFirst({ where: eq(files.id, row.fileId) })
    : undefined;
  const key = { projectId: row.projectId, contentHash: row.contentHash, configHash: row.configHash };
  return { key, name: file?.name ?? '', title: undefined, pageCount: row.pageCount, metadata: {} };
}
