import type { Context } from '#src/context/context.ts';
import type { AccuracyResult, AccuracyRun } from '#src/db/schema/index.ts';
import { addToBins, type Bins } from '#src/evaluation/accuracy/calibration.ts';
import { judgeFields, sumFields } from '#src/evaluation/accuracy/judge-fields.ts';
import { computeScores } from '#src/evaluation/accuracy/scores.ts';
import { iterateConfidences } from '#src/extraction/confidences.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { classifyDocument } from '#src/services/jobs/classification/classify-document.ts';
import { extractDocument } from '#src/services/jobs/extraction/extract-document.ts';
import { parseForJob } from '#src/services/jobs/pages.ts';
import { openAddedParsing } from '#src/services/jobs/parameters.ts';
import { openJobPages } from '#src/services/jobs/run-job.ts';
import { recordUsage } from '#src/services/jobs/usage-row.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { finishRun } from '../run-state.ts';
import type { Runner } from '../runner.ts';
import { summarizeAccuracy } from './report.ts';

type Evaluated = Pick<AccuracyResult, 'metrics' | 'outcome'>;

/** Evaluates the files of an accuracy run. Each message evaluates one file, so that jobs come in between. */
export const accuracyRunner: Runner<AccuracyRun, AccuracyResult> = {
  kind: 'accuracy',
  noun: 'file',
  itemsPerMessage: 1,
  // Cloudflare ends queue consumers after 15 minutes.
  timeoutMs: 12 * 60_000,
  getItemId: ({ fileId }) => fileId,
  // A run has a copy of its configuration, so that nothing it needs can be deleted.
  requireTarget: async () => {},
  evaluate: evaluateFile,
  async finish(ctx, run, consumer, errorMessage) {
    const summary = await summarizeAccuracy(ctx, run);
    await finishRun(ctx, 'accuracy', run.id, consumer, { summary, noun: 'file', errorMessage });
  },
};

/** Extracts from or classifies a file, and compares the result with the truth. */
async function evaluateFile(
  ctx: Context,
  run: AccuracyRun,
  result: AccuracyResult,
  hold: HeldLease,
): Promise<Evaluated> {
  const quota = await openJobPages(ctx, run.projectId);
  const source = {
    projectId: run.projectId,
    configuration: run.configuration,
    open: (parameters: ParseParameters) => parseForJob(ctx, result.fileId, parameters, hold),
  };
  const workId = await derivedId('accuracy', run.id, result.fileId);
  const owner = { projectId: run.projectId, workId };
  try {
    if (run.kind === 'classification') {
      const classified = await classifyDocument(ctx, source, hold, quota);
      const credits = countCredits('classify', classified.pages);
      await recordUsage(ctx, 'classify', owner, classified.pages, credits);
      quota.keep();
      return judgeType(result.expected.value, classified.result);
    }
    const parsing = await openAddedParsing(ctx, run);
    const extracted = await extractDocument(ctx, { ...source, parsing }, hold, quota);
    const credits = countCredits('extract', extracted.pages, extracted.configuration.tier);
    await recordUsage(ctx, 'extract', owner, extracted.pages, credits);
    quota.keep();
    return judgeValues(result.expected.value, extracted.result, extracted.fieldMetadata);
  } finally {
    await quota.end();
  }
}

function judgeValues(expected: unknown, actual: unknown, metadata: unknown): Evaluated {
  const outcome = judgeFields(expected, actual, new Map(iterateConfidences(metadata)));
  const sum = sumFields(outcome.fields);
  const isExact = sum.wrong + sum.missing + sum.invented === 0;
  // A file without expected and without found values is right.
  return { metrics: { f1: computeScores(sum).f1 ?? 1, exact: Number(isExact) }, outcome: { ...outcome } };
}

function judgeType(
  expected: unknown,
  { type, confidence }: { type: string | null; confidence: number },
): Evaluated {
  const isCorrect = expected === type;
  const bins: Bins = {};
  addToBins(bins, confidence, isCorrect);
  return { metrics: { accuracy: Number(isCorrect) }, outcome: { type, confidence, bins } };
}
