import type { SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  buildConditionalInsert,
  type ConditionalRow,
  createConditionalRow,
} from '#src/db/conditional-insert.ts';
import { type ParseJob, parseJobs } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';
import { buildDeliveryRows } from './job-events.ts';
import { hasUnreadPages, type Parsed } from './pages.ts';
import { sealJobParameters } from './parameters.ts';

/** Parse that was done for a job or for a file of a pipeline. */
export interface OwnedParse {
  /** Id of the parse job that records the parse. */
  id: string;
  projectId: string;
  userId: string;
  fileId: string;
  parameters: ParseParameters;
  /**
   * Webhook endpoints of the job or sync for which the file is parsed, in addition to those in the parse
   * parameters.
   */
  listeners?: WebhookConfiguration[];
}

/**
 * Builds the row of a finished parse job that records the parse, so that other jobs can use it. The row is
 * inserted only if `condition` is true.
 */
export async function buildParseRecord(
  ctx: Context,
  parse: OwnedParse,
  end: Parsed | ParseError,
  condition: SQL,
): Promise<ConditionalRow & { row: ParseJob }> {
  const { id, projectId, userId, fileId } = parse;
  const { webhook_configurations: _, ...parameters } = parse.parameters;
  const now = new Date();
  const row: ParseJob = {
    id,
    projectId,
    userId,
    status: 'COMPLETED',
    fileInput: fileId,
    sealedInput: null,
    documentInputType: 'file_id',
    fileId,
    configuration: await sealJobParameters(ctx, id, parameters),
    configurationId: null,
    batchId: null,
    webhookConfigurations: await sealJobWebhooks(ctx, id, listEndpoints(parse)),
    errorMessage: null,
    attempt: 1,
    contentHash: null,
    configHash: null,
    pageCount: null,
    userMetadata: null,
    delivery: null,
    startedAt: now,
    finishedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  if (end instanceof ParseError) Object.assign(row, { status: 'FAILED', errorMessage: end.message });
  else {
    const { contentHash, configHash } = end.key;
    Object.assign(row, { contentHash, configHash, pageCount: end.pageCount });
  }
  return { ...createConditionalRow(parseJobs, row, condition), row };
}

const listEndpoints = ({ parameters, listeners = [] }: OwnedParse): WebhookConfiguration[] => [
  ...listParseEndpoints(parameters),
  ...listeners,
];

/**
 * Parses a file, records the parse and notifies webhook endpoints, if there are any. Endpoints are notified
 * once even if the function is called again. `work` returns `undefined` if the parse is not finished.
 */
export async function parseAndReport<Result extends Parsed | undefined>(
  ctx: Context,
  parse: OwnedParse,
  condition: SQL,
  work: () => Promise<Result>,
): Promise<Result> {
  if (listEndpoints(parse).length === 0) return work();
  try {
    const end = await work();
    if (end) await recordParse(ctx, parse, end, condition);
    return end;
  } catch (error) {
    if (error instanceof ParseError) await recordParse(ctx, parse, error, condition);
    throw error;
  }
}

async function recordParse(ctx: Context, parse: OwnedParse, end: Parsed | ParseError, condition: SQL) {
  const record = await buildParseRecord(ctx, parse, end, condition);
  const { status, errorMessage } = record.row;
  const change =
    end instanceof ParseError
      ? { status, errorMessage }
      : { status, ...(await readOutcome(ctx, parse, end)) };
  const deliveries = await buildDeliveryRows(ctx, 'parse', record.row, change);
  if (deliveries.length === 0) return;
  await ctx.db.batch([
    buildConditionalInsert(ctx, record),
    ...deliveries.map((row) => buildConditionalInsert(ctx, row)),
  ]);
  await ctx.objects.jobState(parse.id).notify(parse.id);
}

async function readOutcome(ctx: Context, { parameters }: OwnedParse, { key, pageCount }: Parsed) {
  return {
    result: { pages: wantedPages(pageCount, resolveParsePlan(parameters).pages).size },
    partial: await hasUnreadPages(ctx.bucket, key, pageCount),
  };
}
