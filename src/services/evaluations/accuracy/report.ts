import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { AccuracyRun, AccuracySummary } from '#src/db/schema/index.ts';
import {
  type Bin,
  type Bins,
  type Calibration,
  computeCalibration,
  mergeBins,
} from '#src/evaluation/accuracy/calibration.ts';
import { sumFields } from '#src/evaluation/accuracy/judge-fields.ts';
import {
  type ClassScores,
  type ConfusionCell,
  computeAccuracy,
  computeClassScores,
  computeMacroF1,
  computeScores,
  type FieldCounts,
  type Scores,
} from '#src/evaluation/accuracy/scores.ts';

/** Maximum number of fields of a report. */
export const MAX_REPORTED_FIELDS = 500;
/** Bound of the place of a field in the stored outcome of a file. */
const MAX_OUTCOME_CHARACTERS = 10_000_000;

export interface FieldReport extends FieldCounts, Scores {
  field: string;
  /** Number of files whose truth has the field. */
  files: number;
  calibration: Calibration | undefined;
}

/** Measures of a run in detail. Extractions have fields, and classifications have classes and a confusion matrix. */
export interface AccuracyReport {
  fields: FieldReport[];
  classes: ClassScores[];
  confusion: ConfusionCell[];
  calibration: Calibration | undefined;
}

type Measured = Pick<AccuracyRun, 'id' | 'kind'>;

/** SQL condition for the evaluated results of a run. `condition` restricts them further. */
const whereEvaluated = (runId: string, condition: SQL = sql``): SQL =>
  sql`result.run_id = ${runId} and result.status = 'completed' ${condition}`;

/** Reads the measures of a run in detail, from the results that it has so far. */
export async function readReport(ctx: Context, run: Measured): Promise<AccuracyReport> {
  if (run.kind === 'extraction') {
    const { fields, bins } = await readFields(ctx, run.id);
    return { fields, classes: [], confusion: [], calibration: computeCalibration(bins) };
  }
  const [confusion, bins] = await Promise.all([readConfusion(ctx, run.id), readClassBins(ctx, run.id)]);
  const classes = computeClassScores(confusion);
  return { fields: [], classes, confusion, calibration: computeCalibration(bins) };
}

/**
 * Reads the counts of each field, in the order of the fields of the first file. `condition` selects some of the
 * results, which the SQL calls `result`.
 */
export async function readFields(
  ctx: Context,
  runId: string,
  condition?: SQL,
): Promise<{ fields: FieldReport[]; bins: Bins }> {
  const from = sql`from accuracy_results as result, json_each(result.outcome, '$.fields') as field`;
  const where = whereEvaluated(runId, condition);
  const sum = (name: string) => sql`sum(field.value ->> ${`$.${name}`}) as ${sql.raw(name)}`;
  const [rows, filled] = await Promise.all([
    ctx.db.all<FieldCounts & { field: string; files: number }>(sql`
      select field.key as field, count(*) as files, ${sum('correct')}, ${sum('wrong')}, ${sum('missing')},
        ${sum('invented')} ${from} where ${where} group by field.key
      order by min(result.position * ${MAX_OUTCOME_CHARACTERS} + field.id) limit ${MAX_REPORTED_FIELDS}`),
    ctx.db.all<{ field: string; bin: string; count: number; confidence: number; correct: number }>(sql`
      select field.key as field, bin.key as bin, sum(bin.value ->> 0) as count, sum(bin.value ->> 1) as confidence,
        sum(bin.value ->> 2) as correct ${from}, json_each(field.value, '$.bins') as bin where ${where}
      group by field.key, bin.key`),
  ]);
  const binsByField = new Map<string, Bins>();
  const bins: Bins = {};
  for (const { field, bin, count, confidence, correct } of filled) {
    const own = binsByField.get(field) ?? {};
    const values: Bin = [count, confidence, correct];
    own[bin] = values;
    binsByField.set(field, own);
    mergeBins(bins, { [bin]: values });
  }
  const fields = rows.map(({ field, files, ...counts }) => ({
    field,
    files,
    ...counts,
    ...computeScores(counts),
    calibration: computeCalibration(binsByField.get(field) ?? {}),
  }));
  return { fields, bins };
}

const readConfusion = (ctx: Context, runId: string): Promise<ConfusionCell[]> =>
  ctx.db.all<ConfusionCell>(sql`
    select result.expected ->> '$.value' as expected, result.outcome ->> '$.type' as actual, count(*) as count
    from accuracy_results as result where ${whereEvaluated(runId)}
    group by expected, actual order by count(*) desc, expected, actual`);

async function readClassBins(ctx: Context, runId: string): Promise<Bins> {
  const rows = await ctx.db.all<{ bin: string; count: number; confidence: number; correct: number }>(sql`
    select bin.key as bin, sum(bin.value ->> 0) as count, sum(bin.value ->> 1) as confidence,
      sum(bin.value ->> 2) as correct
    from accuracy_results as result, json_each(result.outcome, '$.bins') as bin
    where ${whereEvaluated(runId)} group by bin.key`);
  return Object.fromEntries(
    rows.map(({ bin, count, confidence, correct }) => [bin, [count, confidence, correct]]),
  );
}

/** Computes the measures of a run from the results that it has so far. Measures that are not defined are left out. */
export async function summarizeAccuracy(ctx: Context, run: Measured): Promise<AccuracySummary> {
  const [report, counts] = await Promise.all([
    readReport(ctx, run),
    ctx.db.get<{ completed: number; failed: number; exact: number | null }>(sql`select
      count(*) filter (where status = 'completed') as completed,
      count(*) filter (where status = 'failed') as failed,
      avg(metrics ->> '$.exact') as exact from accuracy_results where run_id = ${run.id}`),
  ]);
  const metrics =
    run.kind === 'extraction'
      ? {
          ...computeScores(sumFields(Object.fromEntries(report.fields.map((each) => [each.field, each])))),
          macro_f1: computeMacroF1(report.fields),
          exact: counts.exact,
        }
      : { accuracy: computeAccuracy(report.confusion), macro_f1: computeMacroF1(report.classes) };
  const all = { ...metrics, calibration_error: report.calibration?.error };
  const defined = Object.entries(all).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return { completed: counts.completed, failed: counts.failed, metrics: Object.fromEntries(defined) };
}
