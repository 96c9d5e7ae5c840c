import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { type AccuracySummary, TRUTH_KINDS } from '#src/db/schema/index.ts';
import type { Calibration } from '#src/evaluation/accuracy/calibration.ts';
import type { Difference } from '#src/evaluation/accuracy/judge-fields.ts';
import { type AccuracyComparison, FILE_METRICS } from '#src/services/evaluations/accuracy/compare-runs.ts';
import type { AccuracyReport } from '#src/services/evaluations/accuracy/report.ts';
import type { ShownAccuracyResult, ShownAccuracyRun } from '#src/services/evaluations/accuracy/runs.ts';
import { removeSavedParsing } from '#src/services/jobs/parameters.ts';
import { expectedFields, presentExpected } from './truth-sets.schemas.ts';

const kind = z.enum(TRUTH_KINDS);
const score = z.number().nullable();

export const accuracyRunBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    kind,
    name: z.string(),
    truth_set_id: z.uuid(),
    truth_set_name: z.string(),
    truth_set_version: z.int().describe('Version of the set whose truths the run uses.'),
    configuration: z.record(z.string(), z.unknown()).describe('Copy of the measured configuration.'),
    configuration_id: z.string().nullish().describe('Saved configuration that was measured.'),
    status: z
      .enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
      .describe('`COMPLETED` if at least one file was evaluated. `FAILED` if none was.'),
    error_message: z.string().nullish(),
    user_id: z.string(),
    file_count: z.int().describe('Number of files of the run. Files that were deleted since do not count.'),
    summary: z
      .object({
        completed_count: z.int().describe('Number of files that were evaluated.'),
        failed_count: z.int().describe('Number of files whose evaluation failed.'),
        metrics: z
          .record(z.string(), z.number())
          .describe(
            'Extractions: `precision`, `recall` and `f1` of all values, `macro_f1` (mean over the fields) and `exact` ' +
              '(share of the files without any error). Classifications: `accuracy` and `macro_f1` (mean over the ' +
              'types). Both: `calibration_error`.',
          ),
      })
      .nullish()
      .describe('Measures of the run. Null in lists while the run has not ended.'),
    created_at: timestamp,
    updated_at: timestamp,
    finished_at: timestamp.nullish(),
  })
  .meta({ id: 'AccuracyRun' });

const presentSummary = ({ completed, failed, metrics }: AccuracySummary) => ({
  completed_count: completed,
  failed_count: failed,
  metrics,
});

export const presentAccuracyRun = (row: ShownAccuracyRun): z.input<typeof accuracyRunBody> => ({
  id: row.id,
  project_id: row.projectId,
  kind: row.kind,
  name: row.name,
  truth_set_id: row.truthSetId,
  truth_set_name: row.truthSetName,
  truth_set_version: row.truthSetVersion,
  configuration: removeSavedParsing(row.configuration),
  configuration_id: row.configurationId,
  status: row.status,
  error_message: row.errorMessage,
  user_id: row.userId,
  file_count: row.fileCount,
  summary: row.summary && presentSummary(row.summary),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

const scalar = z.union([z.string(), z.number(), z.boolean()]).nullable();
export const accuracyResultBody = z
  .object({
    file_id: z.uuid(),
    file_name: z.string(),
    position: z.int().describe('Position of the file in the run, counted from 1.'),
    expected: z.object(expectedFields),
    status: z.enum(['pending', 'completed', 'failed']),
    error_message: z.string().nullish(),
    metrics: z
      .record(z.string(), z.number())
      .nullish()
      .describe('`f1` and `exact` of an extraction, or `accuracy` of a classification.'),
    differences: z
      .array(
        z.object({
          field: z.string().describe('Name of the field, such as `items[].price`.'),
          kind: z.enum(['wrong', 'missing', 'invented']),
          expected: scalar,
          actual: scalar,
          confidence: score,
        }),
      )
      .describe('The first 100 values of an extraction that are not as expected. Long ones are shortened.'),
    type: z.string().nullish().describe('Type that the classification found. Null if no rule fits.'),
    confidence: score.optional().describe('Confidence of the classification.'),
  })
  .meta({ id: 'AccuracyResult' });

interface StoredOutcome {
  differences?: Difference[];
  type?: string | null;
  confidence?: number;
}

export function presentAccuracyResult(row: ShownAccuracyResult): z.input<typeof accuracyResultBody> {
  const outcome: StoredOutcome = row.outcome ?? {};
  return {
    file_id: row.fileId,
    file_name: row.fileName,
    position: row.position,
    expected: presentExpected(row),
    status: row.status,
    error_message: row.errorMessage,
    metrics: row.metrics,
    differences: outcome.differences ?? [],
    type: outcome.type ?? null,
    confidence: outcome.confidence ?? null,
  };
}

const calibration = z
  .object({
    count: z.int().describe('Number of values with a confidence.'),
    error: z.number().describe('Expected calibration error, from 0 to 1.'),
    bins: z
      .array(
        z.object({
          low: z.number(),
          high: z.number(),
          count: z.int(),
          confidence: z.number().describe('Mean confidence.'),
          accuracy: z.number().describe('Share of the values that is correct.'),
        }),
      )
      .describe('Bins that are not empty. A bin holds confidences above `low`, up to `high`.'),
  })
  .nullable()
  .describe('Null if no value has a confidence.')
  .meta({ id: 'Calibration' });

const scoreFields = {
  precision: score.describe('Null if nothing was found.'),
  recall: score.describe('Null if nothing is expected.'),
  f1: score.describe('Null if nothing was found and nothing is expected.'),
};
const type = z.string().nullable().describe('Null stands for files without a type.');

export const reportBody = z
  .object({
    run_id: z.uuid(),
    kind,
    fields: z
      .array(
        z.object({
          field: z.string().describe('Name of the field, such as `items[].price`.'),
          file_count: z.int().describe('Number of evaluated files whose truth has the field.'),
          correct_count: z.int(),
          wrong_count: z.int().describe('Number of values that differ from the expected ones.'),
          missing_count: z.int().describe('Number of expected values that were not found.'),
          invented_count: z.int().describe('Number of values that were found although none is expected.'),
          ...scoreFields,
          calibration,
        }),
      )
      .describe('At most 500 fields of an extraction.'),
    classes: z
      .array(
        z.object({
          type,
          expected_count: z.int(),
          predicted_count: z.int(),
          correct_count: z.int(),
          ...scoreFields,
        }),
      )
      .describe('Types of a classification. Types that are expected more often come first.'),
    confusion: z
      .array(z.object({ expected: type, actual: type, count: z.int() }))
      .describe('Cells of the confusion matrix of a classification that are not 0.'),
    calibration,
  })
  .meta({ id: 'AccuracyReport' });

const presentCalibration = (found: Calibration | undefined) => found ?? null;
const presentScores = <Row extends { precision: number | null; recall: number | null; f1: number | null }>({
  precision,
  recall,
  f1,
}: Row) => ({ precision, recall, f1 });

export const presentReport = (run: ShownAccuracyRun, report: AccuracyReport): z.input<typeof reportBody> => ({
  run_id: run.id,
  kind: run.kind,
  fields: report.fields.map((each) => ({
    field: each.field,
    file_count: each.files,
    correct_count: each.correct,
    wrong_count: each.wrong,
    missing_count: each.missing,
    invented_count: each.invented,
    ...presentScores(each),
    calibration: presentCalibration(each.calibration),
  })),
  classes: report.classes.map((each) => ({
    type: each.type,
    expected_count: each.expected,
    predicted_count: each.predicted,
    correct_count: each.correct,
    ...presentScores(each),
  })),
  confusion: report.confusion,
  calibration: presentCalibration(report.calibration),
});

const fieldChange = z.object({ field: z.string(), baseline_f1: score, f1: score });
export const accuracyComparisonBody = z
  .object({
    run_id: z.uuid(),
    baseline_run_id: z.uuid(),
    metric: z.enum(FILE_METRICS),
    compared_count: z.int().describe('Number of files that both runs have evaluated.'),
    edited_count: z
      .int()
      .describe('Number of files that are left out, because their truth was changed between the runs.'),
    mean: z.number(),
    baseline_mean: z.number(),
    difference: z.number().describe('Mean of the run minus mean of the baseline.'),
    confidence_interval: z
      .object({ low: z.number(), high: z.number() })
      .describe('95 % confidence interval of the difference, from a paired bootstrap over the files.'),
    verdict: z
      .enum(['better', 'worse', 'no_clear_difference'])
      .describe('`no_clear_difference` if the confidence interval contains 0.'),
    summary: z.string().describe('The result in a sentence.'),
    improved_count: z.int(),
    worsened_count: z.int(),
    unchanged_count: z.int(),
    changed_fields: z
      .array(fieldChange)
      .describe('The 100 fields of an extraction whose F1 changed most, over all compared files.'),
    changes: z
      .array(
        z.object({
          file_id: z.uuid(),
          file_name: z.string(),
          baseline_value: z.number(),
          value: z.number(),
          change: z.enum(['improved', 'worsened']),
          fields: z.array(fieldChange).describe('The first 20 fields of the file whose F1 changed.'),
          baseline_type: z.string().nullish().describe('Type that the baseline found.'),
          type: z.string().nullish().describe('Type that the run found.'),
        }),
      )
      .describe('One page of the files that changed, largest change first.'),
    next_page_token: z.string().nullish(),
  })
  .meta({ id: 'AccuracyComparison' });

export const presentAccuracyComparison = (
  found: AccuracyComparison,
): z.input<typeof accuracyComparisonBody> => ({
  run_id: found.run.id,
  baseline_run_id: found.baseline.id,
  metric: found.metric,
  compared_count: found.compared,
  edited_count: found.edited,
  mean: found.secondMean,
  baseline_mean: found.firstMean,
  difference: found.difference.mean,
  confidence_interval: { low: found.difference.low, high: found.difference.high },
  verdict: found.verdict,
  summary: found.summary,
  improved_count: found.improved,
  worsened_count: found.worsened,
  unchanged_count: found.unchanged,
  changed_fields: found.changedFields,
  changes: found.changes,
  next_page_token: found.nextPageToken,
});
