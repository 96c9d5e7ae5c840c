import { type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { computeScores, type FieldCounts } from '#src/evaluation/accuracy/scores.ts';
import { compareValues, type ValueComparison } from '#src/evaluation/compare-values.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { nameRuns } from '../name-runs.ts';
import { readFields } from './report.ts';
import { getAccuracyRun, type ShownAccuracyRun } from './runs.ts';

const DEFAULT_CHANGES = 50;
/** Maximum number of changed fields that are listed for the runs, and for each file. */
const MAX_CHANGED_FIELDS = 100;
const MAX_FILE_FIELDS = 20;
/** Differences below this are rounding errors. */
const EPSILON = 1e-9;

/** Measures of one file by which runs are compared. */
export const FILE_METRICS = ['f1', 'exact', 'accuracy'] as const;
export type FileMetric = (typeof FILE_METRICS)[number];

interface FieldChange {
  field: string;
  baseline_f1: number | null;
  f1: number | null;
}

interface ChangedFile {
  file_id: string;
  file_name: string;
  baseline_value: number;
  value: number;
  change: 'improved' | 'worsened';
  /** Fields whose values are right or wrong in another way than before. Empty for classifications. */
  fields: FieldChange[];
  /** Predicted types. Undefined for extractions. */
  baseline_type?: string | null;
  type?: string | null;
}

export interface AccuracyComparison extends ValueComparison {
  run: ShownAccuracyRun;
  baseline: ShownAccuracyRun;
  metric: FileMetric;
  compared: number;
  /** Number of files that both runs have, but with another truth. */
  edited: number;
  changedFields: FieldChange[];
  changes: ChangedFile[];
  nextPageToken: string | null;
}

interface Pair {
  fileId: string;
  first: number;
  second: number;
}

interface CompareQuery {
  with: string;
  metric?: FileMetric | null | undefined;
  field?: string | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

/**
 * Compares a run with a baseline run by the files that both have evaluated. Files whose truth differs between the runs
 * are left out. With a field, the F1 of this field is compared.
 */
export async function compareAccuracyRuns(
  ctx: TenantContext,
  runId: string,
  query: CompareQuery,
): Promise<AccuracyComparison> {
  const [after = 0] = parsePageToken(query.page_token, ['number']) ?? [];
  const [run, baseline] = await Promise.all([getAccuracyRun(ctx, runId), getAccuracyRun(ctx, query.with)]);
  if (run.projectId !== baseline.projectId || run.kind !== baseline.kind)
    throw new NotFound(`Accuracy run of kind ${run.kind}`, query.with);
  const metric = chooseMetric(run, query);
  const { pairs, edited } = await readPairs(ctx, baseline.id, run.id, readValue(metric, query.field));
  const changed = pairs
    .filter(({ first, second }) => Math.abs(second - first) > EPSILON)
    .sort(compareChanges);
  const size = query.page_size ?? DEFAULT_CHANGES;
  const name = query.field ? `${metric} of ${query.field}` : metric;
  return {
    ...compareValues(name, pairs, nameRuns(baseline, run), 'file'),
    run,
    baseline,
    metric,
    compared: pairs.length,
    edited,
    changedFields: run.kind === 'extraction' ? await compareFields(ctx, baseline.id, run.id) : [],
    changes: await describeChanges(ctx, baseline.id, run, changed.slice(after, after + size)),
    nextPageToken: after + size < changed.length ? encodeCursor([after + size]) : null,
  };
}

function chooseMetric({ kind }: ShownAccuracyRun, { metric, field }: CompareQuery): FileMetric {
  const allowed: readonly FileMetric[] =
    kind === 'classification' ? ['accuracy'] : field ? ['f1'] : ['f1', 'exact'];
  const chosen = metric ?? allowed[0]!;
  if (kind === 'classification' && field)
    throw Invalid.field(['query', 'field'], 'Classifications have no fields');
  if (!allowed.includes(chosen))
    throw Invalid.field(['query', 'metric'], `must be one of ${allowed.join(', ')} here`);
  return chosen;
}

/** Returns SQL for the value of a result, which the SQL calls by the given name. Null if the file has no value. */
const readValue =
  (metric: FileMetric, field: string | null | undefined) =>
  (name: string): SQL => {
    if (!field) return sql`json_extract(${sql.raw(name)}.metrics, ${`$.${metric}`})`;
    const count = (kind: string) => sql`(field.value ->> ${`$.${kind}`})`;
    const correct = count('correct');
    const total = sql`(2 * ${correct} + 2 * ${count('wrong')} + ${count('missing')} + ${count('invented')})`;
    // A file without expected and without found values of the field is right.
    return sql`(select case when ${total} = 0 then 1.0 else 2.0 * ${correct} / ${total} end
      from json_each(${sql.raw(name)}.outcome, '$.fields') as field where field.key = ${field})`;
  };

/** Largest changes first. */
function compareChanges(a: Pair, b: Pair): number {
  const difference = Math.abs(b.second - b.first) - Math.abs(a.second - a.first);
  return difference || (a.fileId < b.fileId ? -1 : 1);
}

async function readPairs(
  ctx: TenantContext,
  firstId: string,
  secondId: string,
  value: (name: string) => SQL,
) {
  const rows = await ctx.db.all<Pair & { isSame: number }>(sql`
    select * from (select second.file_id as fileId, ${value('first')} as first, ${value('second')} as second,
      first.expected = second.expected as isSame, second.position as position
    from accuracy_results as second
    join accuracy_results as first on first.run_id = ${firstId} and first.file_id = second.file_id
    where second.run_id = ${secondId} and first.status = 'completed' and second.status = 'completed')
    where first is not null and second is not null order by position`);
  const pairs = rows.filter(({ isSame }) => isSame === 1);
  return { pairs, edited: rows.length - pairs.length };
}

/** Lists the fields whose F1 differs in the files that both runs have evaluated, largest difference first. */
async function compareFields(ctx: TenantContext, firstId: string, secondId: string): Promise<FieldChange[]> {
  const isCommon = (otherId: string) => sql`and exists (select 1 from accuracy_results as other
    where other.run_id = ${otherId} and other.file_id = result.file_id and other.status = 'completed'
    and other.expected = result.expected)`;
  const [before, after] = await Promise.all([
    readFields(ctx, firstId, isCommon(secondId)),
    readFields(ctx, secondId, isCommon(firstId)),
  ]);
  const known = new Map(before.fields.map((each) => [each.field, each.f1]));
  return after.fields
    .map(({ field, f1 }) => ({ field, baseline_f1: known.get(field) ?? null, f1 }))
    .filter(({ baseline_f1, f1 }) => baseline_f1 !== f1)
    .sort((one, other) => measureChange(other) - measureChange(one))
    .slice(0, MAX_CHANGED_FIELDS);
}

const measureChange = ({ baseline_f1, f1 }: FieldChange): number => Math.abs((f1 ?? 0) - (baseline_f1 ?? 0));

interface StoredOutcome {
  fields?: Record<string, FieldCounts>;
  type?: string | null;
}

async function describeChanges(
  ctx: TenantContext,
  firstId: string,
  run: ShownAccuracyRun,
  pairs: readonly Pair[],
): Promise<ChangedFile[]> {
  const ids = JSON.stringify(pairs.map(({ fileId }) => fileId));
  const rows = await ctx.db.all<{ fileId: string; name: string; first: string; second: string }>(sql`
    select second.file_id as fileId, files.name as name, first.outcome as first, second.outcome as second
    from accuracy_results as second join files on files.id = second.file_id
    join accuracy_results as first on first.run_id = ${firstId} and first.file_id = second.file_id
    where second.run_id = ${run.id} and second.file_id in (select value from json_each(${ids}))`);
  const found = new Map(rows.map((row) => [row.fileId, row]));
  return pairs.flatMap(({ fileId, first, second }) => {
    const row = found.get(fileId);
    // The file was deleted in the meantime.
    if (!row) return [];
    const [before, after] = [row.first, row.second].map((each) => JSON.parse(each) as StoredOutcome);
    return {
      file_id: fileId,
      file_name: row.name,
      baseline_value: first,
      value: second,
      change: second > first ? ('improved' as const) : ('worsened' as const),
      fields: listFieldChanges(before!, after!),
      ...(run.kind === 'classification' && {
        baseline_type: before!.type ?? null,
        type: after!.type ?? null,
      }),
    };
  });
}

function listFieldChanges(before: StoredOutcome, after: StoredOutcome): FieldChange[] {
  const old = new Map(Object.entries(before.fields ?? {}));
  return Object.entries(after.fields ?? {})
    .map(([field, counts]) => {
      const previous = old.get(field);
      return {
        field,
        baseline_f1: previous ? computeScores(previous).f1 : null,
        f1: computeScores(counts).f1,
      };
    })
    .filter(({ baseline_f1, f1 }) => baseline_f1 !== f1)
    .slice(0, MAX_FILE_FIELDS);
}
