import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { type Batch, classifyJobs, extractJobs, parseJobs } from '#src/db/schema/index.ts';
import { applyCorrections } from '#src/extraction/corrections.ts';
import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { iterateJobResults } from '../extraction/read-result.ts';
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

/** Yields the results of a batch as text, file by file. Few results are in memory at a time. */
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
  for await (const items of iterateItems(ctx, batch, filter)) {
    const isCompleted = items.map(({ status }) => status === 'COMPLETED');
    const ids = items.filter((_, at) => isCompleted[at]).map(({ jobId }) => jobId);
    const results = readResults(ctx, batch, ids);
    for (const [at, item] of items.entries()) {
      const found = isCompleted[at] ? (await results.next()).value : undefined;
      const result = found === undefined || values === 'extracted' ? found : correct(batch, item, found);
      if (format === 'csv') yield* encodeRows(item, result, columns);
      else {
        const line = JSON.stringify({ ...buildFacts(item), result: result ?? null });
        yield format === 'jsonl' ? `${line}\n` : `${isFirst ? '' : ','}\n${line}`;
      }
      isFirst = false;
    }
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

/** Reads the completed jobs `ids` with one query, and yields their results in this order. */
async function* readResults(
  ctx: Context,
  { jobType }: Batch,
  ids: readonly string[],
): AsyncGenerator<unknown> {
  if (ids.length === 0) return;
  if (jobType === 'parse') {
    const { id, pageCount } = parseJobs;
    const rows = await ctx.db.select({ id, pageCount }).from(parseJobs).where(isInList(id, ids));
    const pages = new Map(rows.map((row) => [row.id, { pages: row.pageCount }]));
    yield* ids.map((each) => pages.get(each));
  } else if (jobType === 'classify') {
    const { id, result } = classifyJobs;
    const rows = await ctx.db.select({ id, result }).from(classifyJobs).where(isInList(id, ids));
    const results = new Map(rows.map((row) => [row.id, row.result]));
    yield* ids.map((each) => results.get(each) ?? undefined);
  } else {
    const { id, projectId, status, result, resultMetadata } = extractJobs;
    const rows = await ctx.db
      .select({ id, projectId, status, result, resultMetadata })
      .from(extractJobs)
      .where(isInList(id, ids));
    const jobs = new Map(rows.map((row) => [row.id, row]));
    const stored = ids.map((each) => jobs.get(each));
    for await (const found of iterateJobResults(ctx, stored)) yield found?.result;
  }
}

/** Returns a result with the corrections of its review. */
function correct({ jobType }: Batch, item: ItemRow, result: unknown): unknown {
  const corrections = item.corrections === null ? null : (JSON.parse(item.corrections) as object | null);
  if (!isRecord(corrections) || jobType === 'parse') return result;
  return jobType === 'classify'
    ? { ...(result as object), ...corrections }
    : applyCorrections(result, corrections);
}
