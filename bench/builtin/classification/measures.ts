import { getAnalysis } from '#src/builtin/terms.ts';
import { sampleText } from '#src/classification/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { Answer } from './fit-classifier.ts';
import type { ClassificationSet } from './sets.ts';

export interface Measures {
  /**
   * Share of right answers for documents that a rule fits, for documents that no rule fits, and for all
   * documents. NaN if there are none.
   */
  labelled: number;
  none: number;
  all: number;
  /** Mean distance between confidence and accuracy over ten bins, weighted by the number of answers. */
  calibrationError: number;
}

export function measure(answers: Pick<Answer, 'given' | 'right' | 'confidence'>[]): Measures {
  const share = (of: typeof answers) => of.filter(({ given, right }) => given === right).length / of.length;
  return {
    labelled: share(answers.filter(({ right }) => right >= 0)),
    none: share(answers.filter(({ right }) => right < 0)),
    all: share(answers),
    calibrationError: groupByConfidence(answers).reduce(
      (error, { count, confidence, accuracy }) =>
        error + (count / answers.length) * Math.abs(accuracy - confidence),
      0,
    ),
  };
}

/** Returns the count, confidence and accuracy for each tenth of confidence that has answers. */
export function groupByConfidence(
  answers: Answer[],
): { count: number; confidence: number; accuracy: number }[] {
  return Array.from({ length: 10 }, (_, bin) =>
    answers.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin),
  )
    .filter((inside) => inside.length > 0)
    .map((inside) => ({
      count: inside.length,
      confidence: inside.reduce((sum, { confidence }) => sum + confidence, 0) / inside.length,
      accuracy: inside.filter(({ given, right }) => given === right).length / inside.length,
    }));
}

/**
 * Chooses the rule whose description is most similar by TF-IDF cosine, or none if no word is shared. The
 * document frequencies come from this set.
 */
export function classifyByTfIdf({ rules, items }: ClassificationSet): Answer[] {
  const language = detectLanguage(rules.map(({ description }) => description).join('\n'));
  const analyseTerms = (text: string) => getAnalysis(language, text).meaningful(text);
  const documents = items.map(({ document }) => countTerms(analyseTerms(sampleText(document.pages))));
  const described = rules.map((rule) =>
    countTerms(analyseTerms(`${rule.type.replaceAll('_', ' ')} ${rule.description}`)),
  );
  const spread = new Map<string, number>();
  const all = [...documents, ...described];
  for (const counts of all) for (const term of counts.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  const weighTerms = (counts: Map<string, number>) =>
    new Map([...counts].map(([term, count]) => [term, count * Math.log(all.length / spread.get(term)!)]));
  const vectors = described.map(weighTerms);
  return documents.map((counts, at) => {
    const document = weighTerms(counts);
    const likeness = vectors.map((rule) => cosine(document, rule));
    const best = Math.max(...likeness);
    return {
      given: best > 0 ? likeness.indexOf(best) : -1,
      right: rules.findIndex(({ type }) => type === items[at]!.type),
      confidence: best,
    };
  });
}

function countTerms(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function cosine(left: Map<string, number>, right: Map<string, number>): number {
  let product = 0;
  for (const [term, weight] of right) product += weight * (left.get(term) ?? 0);
  const length = (of: Map<string, number>) =>
    Math.sqrt([...of.values()].reduce((sum, value) => sum + value * value, 0)) || 1;
  return product / length(left) / length(right);
}
