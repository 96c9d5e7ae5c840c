import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Batch, classifyJobs, extractJobs, parseJobs } from '#src/db/schema/index.ts';
import { applyCorrections } from '#src/extraction/corrections.ts';
import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { readResult } from '../extraction/read-result.ts';
import { encodeCsvRow } from './csv.ts';
import { listColumns, readPath, type ValueColumn } from './flatten.ts';
import { type ItemRow, iterateItems } from './items.ts';

export const RESULT_FORMATS = ['jsonl', 'csv', 'json'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];
/** Selects the exported values: as extracted, with corrections, or only those that a person approved. */
export const RESULT_VALUES = ['extracted', 'reviewed', 'approved'] as const;
export type ResultValues = (typeof RESULT_VALUES)[number];

export const RESULT_TYPES = {
  jsonl: 'application/jsonl',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
} as const satisfies Record<ResultFormat, string>;

interface Selection {
  format: ResultFormat;
  values: ResultValues;
}

/** Yields the results of a batch as text, file by file. One result is in memory at a time. */
export async function* iterateResults(
  ctx: Context,
  batch: Batch,
  { format, values }: Selection,
): AsyncGenerator<string> {
  const columns = format === 'csv' ? listBatchColumns(batch) : [];
  if (format === 'csv') yield encodeCsvRow([...FACT_COLUMNS, ...columns.map(({ name }) => name)]);
  if (format === 'json') yield '[';
  let isFirst = true;
  const filter = values === 'approved' ? { review_state: 'approved' as const } : {};
  for await (const item of iterateItems(ctx, batch, filter)) {
    const result = item.status === 'COMPLETED' ? await readValues(ctx, batch, item, values) : null;
    if (format === 'csv') yield* encodeRows(item, result, columns);
    else {
      const line = JSON.stringify({ ...buildFacts(item), result: result ?? null });
      yield format === 'jsonl' ? `${line}\n` : `${isFirst ? '' : ','}\n${line}`;
    }
    isFirst = false;
  }
  if (format === 'json') yield '\n]\n';
}

const FACT_COLUMNS = [
  'file_name',
  'file_id',
  'job_id',
  'status',
  'error_message',
  'review_state',
  'reviewed_by',
  'reviewed_at',
] as const;

function buildFacts(item: ItemRow) {
  return {
    file_name: item.fileName,
    file_id: item.fileId,
    job_id: item.jobId,
    status: item.status,
    error_message: item.errorMessage,
    review_state: item.reviewState,
    reviewed_by: item.reviewerName ?? item.reviewerId,
    reviewed_at: item.reviewedAt === null ? null : new Date(item.reviewedAt).toISOString(),
  } satisfies Record<(typeof FACT_COLUMNS)[number], string | null>;
}

function listBatchColumns({ jobType, configuration }: Batch): ValueColumn[] {
  const toColumn = (name: string) => ({ name, path: [name] });
  if (jobType === 'classify') return ['type', 'confidence', 'reasoning'].map(toColumn);
  if (jobType === 'parse') return ['pages'].map(toColumn);
  return listColumns(configuration.data_schema as JsonSchema);
}

/** Encodes a file as one row, or as one row for each page or table row that the job extracted. */
function* encodeRows(item: ItemRow, result: unknown, columns: ValueColumn[]): Generator<string> {
  const facts = Object.values(buildFacts(item));
  const rows = Array.isArray(result) && result.length > 0 ? result : [result];
  for (const row of rows) yield encodeCsvRow([...facts, ...columns.map(({ path }) => readPath(row, path))]);
}

async function readValues(ctx: Context, batch: Batch, item: ItemRow, values: ResultValues): Promise<unknown> {
  if (batch.jobType === 'parse') {
    const job = await ctx.db.query.parseJobs.findFirst({ where: eq(parseJobs.id, item.jobId) });
    return job && { pages: job.pageCount };
  }
  const corrections = item.corrections === null ? null : (JSON.parse(item.corrections) as object | null);
  const isCorrected = values !== 'extracted' && isRecord(corrections);
  if (batch.jobType === 'classify') {
    const job = await ctx.db.query.classifyJobs.findFirst({ where: eq(classifyJobs.id, item.jobId) });
    return job?.result && { ...job.result, ...(isCorrected && corrections) };
  }
  const job = await ctx.db.query.extractJobs.findFirst({ where: eq(extractJobs.id, item.jobId) });
  const found = job && (await readResult(ctx, job));
  return found && (isCorrected ? applyCorrections(found.result, corrections) : found.result);
}
