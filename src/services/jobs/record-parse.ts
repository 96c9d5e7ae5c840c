import type { SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, insertWhen, rowWhen } from '#src/db/conditional-insert.ts';
import { type ParseJob, parseJobs } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { parseListeners } from '#src/webhook-protocol/parse-listeners.ts';
import { deliveryInserts } from './job-events.ts';
import { hasUnreadPages, type Parsed } from './pages.ts';
import { sealJobParameters } from './parameters.ts';

/** A parse that belongs to a job or to a file of a pipeline. */
export interface OwnParse {
  /** Id of the parse job that records it. */
  id: string;
  projectId: string;
  userId: string;
  fileId: string;
  parameters: ParseParameters;
  /** Further webhook endpoints, from the work that the parse belongs to. */
  listeners?: WebhookConfiguration[];
}

/**
 * Returns the row of a finished parse job that records the parse, so that other jobs can use it. It is
 * written while `condition` holds.
 */
export async function parseRecord(
  ctx: Context,
  parse: OwnParse,
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
    webhookConfigurations: await sealJobWebhooks(ctx, id, listenersOf(parse)),
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
  return { ...rowWhen(parseJobs, row, condition), row };
}

const listenersOf = ({ parameters, listeners = [] }: OwnParse): WebhookConfiguration[] => [
  ...parseListeners(parameters),
  ...listeners,
];

/**
 * Parses and, if there are webhook endpoints, records the end and notifies them once, even if it is called
 * again. The surrounding work ends after that. Returns undefined if the parse has not ended.
 */
export async function reportingParse<Result extends Parsed | undefined>(
  ctx: Context,
  parse: OwnParse,
  condition: SQL,
  work: () => Promise<Result>,
): Promise<Result> {
  if (listenersOf(parse).length === 0) return work();
  try {
    const end = await work();
    if (end) await report(ctx, parse, end, condition);
    return end;
  } catch (error) {
    if (error instanceof ParseError) await report(ctx, parse, error, condition);
    throw error;
  }
}

async function report(ctx: Context, parse: OwnParse, end: Parsed | ParseError, condition: SQL) {
  const record = await parseRecord(ctx, parse, end, condition);
  const { status, errorMessage } = record.row;
  const change =
    end instanceof ParseError ? { status, errorMessage } : { status, ...(await read(ctx, parse, end)) };
  const deliveries = await deliveryInserts(ctx, 'parse', record.row, change);
  if (deliveries.length === 0) return;
  await ctx.db.batch([insertWhen(ctx, record), ...deliveries.map((row) => insertWhen(ctx, row))]);
  await ctx.objects.jobState(parse.id).notify(parse.id);
}

async function read(ctx: Context, { parameters }: OwnParse, { key, pageCount }: Parsed) {
  return {
    result: { pages: wantedPages(pageCount, resolveParsePlan(parameters).pages).size },
    partial: await hasUnreadPages(ctx.bucket, key, pageCount),
  };
}
