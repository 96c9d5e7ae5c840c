/**
 * Measures what verification finds on true pages, each written in several correct variations, and on the same
 * pages with one planted error. The weights are fitted on half of the documents. Both halves are printed,
 * first the one that was not fitted.
 * Run: npm run bench:verify   (CORPORA=<dir>; --fit prints weights for the first half; "true", or part of the name of an error, prints outputs that are wrongly doubted or not detected)
 */

import { computeConfidence } from '#src/reading/verify/confidence.ts';
import { startParsing } from './parsing/client.ts';
import { fitWeights } from './verify/fit.ts';
import { DOUBTED_BELOW, type Measured, measure, type Sample } from './verify/measure.ts';
import { readTruePages, type TruePage } from './verify/pages.ts';
import { createRandom } from './verify/random.ts';

const shown = process.argv.slice(2).find((word) => !word.startsWith('--'));
const pages = await readPages();
const isForFitting = ({ document }: TruePage) => createRandom(`half ${document}`)() < 0.5;
const fitted = pages.filter(isForFitting);

if (process.argv.includes('--fit')) {
  console.log('weights', JSON.stringify(fitWeights(measure(fitted, pages).samples), undefined, 2));
} else {
  const heldOut = pages.filter((page) => !isForFitting(page));
  report('held out', heldOut, measure(heldOut, pages, shown));
  report('fitted on', fitted, measure(fitted, pages, shown));
}

async function readPages(): Promise<TruePage[]> {
  const parsing = await startParsing();
  try {
    return await readTruePages(async (file) => (await parsing.parse(file)).pages);
  } finally {
    await parsing.stop();
  }
}

function report(half: string, own: TruePage[], { tally, samples, milliseconds, words }: Measured) {
  const documents = new Set(own.map(({ document }) => document)).size;
  console.log(`\n\n${half.toUpperCase()}: ${own.length} pages of ${documents} documents`);
  tally.print(DOUBTED_BELOW);
  printCalibration(samples);
  console.log(`${((milliseconds / words) * 1000).toFixed(1)} ms for 1,000 words`);
}

function printCalibration(samples: Sample[]) {
  const bins = new Map<number, { sum: number; right: number; all: number }>();
  for (const { evidence, isTrue } of samples) {
    const confidence = computeConfidence(evidence);
    const bin = Math.min(4, Math.floor(confidence * 5));
    const { sum, right, all } = bins.get(bin) ?? { sum: 0, right: 0, all: 0 };
    bins.set(bin, { sum: sum + confidence, right: right + Number(isTrue), all: all + 1 });
  }
  console.log('\nconfidence and how many were true');
  console.table(
    [...bins]
      .sort(([a], [b]) => a - b)
      .map(([, { sum, right, all }]) => ({
        outputs: all,
        confidence: (sum / all).toFixed(3),
        true: (right / all).toFixed(3),
      })),
  );
}
