import type { Case } from './cases.ts';
import { type Answer, classify, fitWeights } from './fit-classifier.ts';
import { type ClassificationSet, isUnrelated } from './sets.ts';

/** Classifies the cases of each set with weights that were fitted on unrelated sets only. */
export function classifyLeftOut(sets: ClassificationSet[], cases: Case[]): Map<Case, Answer> {
  const answers = new Map<Case, Answer>();
  for (const { name } of sets) {
    const weights = fitWeights(cases.filter(({ set }) => isUnrelated(set, name)));
    for (const each of cases) if (each.set === name) answers.set(each, classify(each, weights));
  }
  return answers;
}

/** Returns the answers of one condition, for one set or for all sets. */
export function selectAnswers(
  answers: Map<Case, Answer>,
  condition: Case['condition'],
  set?: string,
): Answer[] {
  return [...answers]
    .filter(([each]) => each.condition === condition && (set === undefined || each.set === set))
    .map(([, answer]) => answer);
}
