import { FITTED } from '#src/builtin/extraction/weights.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { add, type Counts, computeRates } from '../extract-scoring.ts';
import { measure, scoreBaseline } from './extraction.ts';
import { fitModel } from './extraction-fit.ts';
import { buildSamples, excludeKind } from './extraction-samples.ts';
import { type Item, isFitted, readItems } from './extraction-sets.ts';
import type { Figure } from './figures.ts';

const NOTHING: Counts = { correct: 0, returned: 0, expected: 0 };

/**
 * Measures extraction without a model by kind of document. Each kind is measured with weights that were fitted
 * without it. The last figures are the precision over all values and the share of values with a citation.
 */
export async function extractionFigures(): Promise<Figure[]> {
  const items = await readItems();
  const weight = await loadWordWeight();
  const samples = buildSamples(items.filter(isFitted), weight);
  const figures: Figure[] = [];
  let [all, cited] = [NOTHING, 0];
  for (const [kind, own] of Map.groupBy(items, (item) => item.kind)) {
    const model = own.every(isFitted) ? fitModel(excludeKind(samples, kind)) : FITTED;
    const measured = measure(own, model, weight);
    all = add(all, measured.counts);
    cited += measured.cited;
    figures.push({
      task: 'extraction',
      set: kind,
      metric: 'F1',
      value: computeRates(measured.counts).f1,
      baseline: computeRates(scoreItems(own)).f1,
    });
  }
  const baseline = computeRates(scoreItems(items)).precision;
  const { precision } = computeRates(all);
  return [
    ...figures,
    { task: 'extraction', set: 'all kinds', metric: 'precision', value: precision, baseline },
    { task: 'extraction', set: 'all kinds', metric: 'cited', value: cited / Math.max(1, all.returned) },
  ];
}

const scoreItems = (items: Item[]) => items.reduce((sum, item) => add(sum, scoreBaseline(item)), NOTHING);
