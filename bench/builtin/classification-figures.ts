import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { buildCases } from './classification/cases.ts';
import { classifyLeftOut, selectAnswers } from './classification/left-out.ts';
import { classifyByTfIdf, measure } from './classification/measures.ts';
import { readSets } from './classification/sets.ts';
import type { Figure } from './figures.ts';

/**
 * Measures the built-in classifier on each set with weights that were fitted on unrelated sets: the share of right
 * answers for documents that a rule fits and for documents that no rule fits, and the expected calibration error.
 */
export async function classificationFigures(): Promise<Figure[]> {
  const sets = await readSets();
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const answers = classifyLeftOut(sets, buildCases(sets, { vectors, wordWeight }));
  return sets.flatMap((set): Figure[] => {
    const own = measure(selectAnswers(answers, 'as it is', set.name));
    const trivial = measure(classifyByTfIdf(set));
    const common = { task: 'classification', set: set.name } as const;
    const none: Figure = { ...common, metric: 'accuracy of null', value: own.none, baseline: trivial.none };
    return [
      { ...common, metric: 'accuracy', value: own.labelled, baseline: trivial.labelled },
      ...(Number.isNaN(own.none) ? [] : [none]),
      { ...common, metric: 'ECE', value: own.calibrationError, lowerIsBetter: true },
    ];
  });
}
