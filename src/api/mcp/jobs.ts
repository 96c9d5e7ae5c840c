import { z } from 'zod';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { classifyJobBody, presentClassifyJob } from '#src/api/v2/classify.ts';
import { extractJobBody, presentExtractJob } from '#src/api/v2/extract.ts';
import { parseJobBody } from '#src/api/v2/parse.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import type { ClassifyJob, ExtractJob, ParseJob } from '#src/db/schema/index.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { NotFound } from '#src/lib/errors.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import { ID_PREFIX } from '#src/services/jobs/kinds.ts';
import { Budget } from './budget.ts';
import type { Fence } from './fence.ts';
import { goOn } from './page.ts';
import type { Call, ToolAnswer } from './tool.ts';

/** Kinds of jobs that the tools show. Split and sheets jobs are only shown by the HTTP API. */
const SHOWN_KINDS = ['extract', 'classify', 'parse'] as const;

const facts = { id: true, status: true, error_message: true } as const;
const leftOut = {
  left_out: z
    .array(z.string())
    .describe(
      'Names of members that are too large for an answer of this tool. GET /api/v2/extract/{id} returns them.',
    ),
};

export const extractAnswer = extractJobBody
  .pick({ ...facts, extract_result: true, extract_metadata: true })
  .extend({
    next_page_token: buildPageSchema(z.unknown()).shape.next_page_token.describe(
      'Token for get_job, which returns the following entries of a result with one entry per page or row.',
    ),
    ...leftOut,
  });
export const classifyAnswer = classifyJobBody.pick({ ...facts, result: true });
export const jobAnswer = extractAnswer.extend({
  kind: z.enum(SHOWN_KINDS),
  result: classifyJobBody.shape.result.describe('Result of a classify job.'),
  page_count: parseJobBody.shape.page_count.describe('Result of a parse job.'),
});

/** Maximum time in seconds that a tool waits for the end of the job that it started. */
export const waitSeconds = z
  .number()
  .int()
  .min(0)
  .max(50)
  .nullish()
  .describe('Seconds to wait for the end of the job. Default: 25. After that, call get_job.');
const DEFAULT_WAIT_SECONDS = 25;

type Kind = (typeof SHOWN_KINDS)[number];
const hasEnded = (status: string) => status !== 'PENDING' && status !== 'RUNNING';

/**
 * Waits for a job and returns it once it has ended. After the waiting time, returns the job in its current
 * state.
 */
export async function untilEnded<Row extends ExtractJob | ClassifyJob | ParseJob>(
  ctx: TenantContext,
  kind: Kind,
  begun: Row,
  wait: number | null | undefined,
  signal: AbortSignal,
  report: Call<unknown>['report'],
): Promise<Row> {
  const total = wait ?? DEFAULT_WAIT_SECONDS;
  const start = Date.now();
  const end = start + 1000 * total;
  let job = begun;
  for (let pause = 100; !hasEnded(job.status) && Date.now() < end; pause = Math.min(2 * pause, 1000)) {
    await scheduler.wait(Math.min(pause, Math.max(end - Date.now(), 1)));
    signal.throwIfAborted();
    job = await getJob<Row>(ctx, kind, job.id);
    await report((Date.now() - start) / 1000, total, `Job ${job.id}: ${job.status}`);
  }
  return job;
}

export async function answerExtract(
  ctx: TenantContext,
  row: ExtractJob,
  fence: Fence,
  pageToken?: string | null,
): Promise<ToolAnswer<z.input<typeof extractAnswer>>> {
  const { id, status, error_message, extract_result, extract_metadata } = await presentExtractJob(ctx, row);
  const budget = new Budget();
  const left_out: string[] = [];
  const kept = <Value>(name: string, value: Value): Value | null => {
    if (value === null || value === undefined || budget.takeWhole(JSON.stringify(value))) return value;
    left_out.push(name);
    return null;
  };
  const [after = 0] = parsePageToken(pageToken, ['number'], ['body', 'page_token']) ?? [];
  const rows = Array.isArray(extract_result) ? extract_result.slice(after) : undefined;
  const fitting = rows && takeFitting(rows);
  const next = rows && fitting!.length < rows.length ? encodeCursor([after + fitting!.length]) : null;
  const metadata = fitting ? sliceMetadata(extract_metadata, after, fitting.length) : extract_metadata;
  const data = {
    ...{ id, status, error_message },
    extract_result: kept('extract_result', fitting ?? extract_result),
    extract_metadata: kept('extract_metadata', metadata),
    next_page_token: next,
    left_out,
  };
  const result = data.extract_result ? `\n${fence(JSON.stringify(data.extract_result, null, 1))}` : '';
  const cited = data.extract_metadata?.field_metadata
    ? `\nWhere it was found:\n${fence(JSON.stringify(data.extract_metadata.field_metadata))}`
    : '';
  const omitted = left_out.length > 0 ? `\nToo large for this answer: ${left_out.join(', ')}` : '';
  const more = goOn(next).replace('call again', `call get_job for ${id}`);
  return { data, text: toldJob('Extract', data, fence) + result + cited + omitted + more };
}

/**
 * Returns the first rows that fit into half of an answer's text budget. The other half is for their
 * citations. At least one row is returned, so that paging advances.
 */
function takeFitting<Row>(rows: readonly Row[]): Row[] {
  const room = new Budget(new Budget().left / 2);
  const over = rows.findIndex((row) => !room.takeWhole(JSON.stringify(row)));
  return rows.slice(0, over === -1 ? rows.length : Math.max(over, 1));
}

type Metadata = z.input<typeof extractJobBody>['extract_metadata'];

/** Returns the extraction metadata that belongs to a range of rows. */
function sliceMetadata(metadata: Metadata, from: number, count: number): Metadata {
  const fields = metadata?.field_metadata;
  if (!fields) return metadata;
  const { page_metadata, row_metadata } = fields;
  return {
    ...metadata,
    field_metadata: {
      ...fields,
      ...(page_metadata && { page_metadata: page_metadata.slice(from, from + count) }),
      ...(row_metadata && { row_metadata: row_metadata.slice(from, from + count) }),
    },
  };
}

export function answerClassify(row: ClassifyJob, fence: Fence): ToolAnswer<z.input<typeof classifyAnswer>> {
  const { id, status, error_message, result } = presentClassifyJob(row);
  const data = { id, status, error_message, result };
  const said = result ? `\n${fence(JSON.stringify(result, null, 1))}` : '';
  return { data, text: toldJob('Classify', data, fence) + said };
}

/**
 * Returns a job as the answer of a tool. The prefix of the job's id tells whether it is a parse, extract or
 * classify job.
 */
export async function answerJob(
  ctx: TenantContext,
  id: string,
  fence: Fence,
  pageToken?: string | null,
): Promise<ToolAnswer<z.input<typeof jobAnswer>>> {
  const kind = SHOWN_KINDS.find((each) => id.startsWith(`${ID_PREFIX[each]}-`));
  const none = { next_page_token: null, left_out: [] };
  if (kind === 'extract') {
    const { data, text } = await answerExtract(
      ctx,
      await getJob<ExtractJob>(ctx, kind, id),
      fence,
      pageToken,
    );
    return { data: { ...data, kind }, text };
  }
  if (kind === 'classify') {
    const { data, text } = answerClassify(await getJob<ClassifyJob>(ctx, kind, id), fence);
    return { data: { ...data, ...none, kind }, text };
  }
  if (kind === 'parse') {
    const { status, errorMessage, pageCount } = await getJob<ParseJob>(ctx, kind, id);
    const data = { id, status, error_message: errorMessage, page_count: pageCount, kind, ...none };
    return { data, text: `${toldJob('Parse', data, fence)} Pages: ${pageCount ?? 'not known yet'}.` };
  }
  throw new NotFound('Job', id);
}

interface Told {
  id: string;
  status: string;
  error_message?: string | null | undefined;
}

function toldJob(what: string, { id, status, error_message }: Told, fence: Fence): string {
  const waits = hasEnded(status) ? '' : ` It has not ended: call get_job with job_id ${id} in a few seconds.`;
  return `${what} job ${id}: ${status}.${waits}${error_message ? `\n${fence(error_message)}` : ''}`;
}
