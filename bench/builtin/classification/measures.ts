import { analysisFor } from '#src/builtin/terms.ts';
import { sampleText } from '#src/classification/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { Answer } from './fit-classifier.ts';
import type { ClassificationSet } from './sets.ts';

export interface Measures {
  /** Share of right answers to the documents that some rule fits, to those that none fits, and to all; NaN without any. */
  labelled: number;
  none: number;
  all: number;
  /** Mean distance between confidence and accuracy over ten bins, weighted by their answers. */
  calibrationError: number;
}

export function measure(answers: Pick<Answer, 'told' | 'right' | 'confidence'>[]): Measures {
  const share = (of: typeof answers) => of.filter(({ told, right }) => told === right).length / of.length;
  return {
    labelled: share(answers.filter(({ right }) => right >= 0)),
    none: share(answers.filter(({ right }) => right < 0)),
    all: share(answers),
    calibrationError: deciles(answers).reduce(
      (error, { count, confidence, accuracy }) =>
        error + (count / answers.length) * Math.abs(accuracy - confidence),
      0,
    ),
  };
}

/** Confidence and accuracy of the answers in each tenth of confidence that has any. */
export function deciles(answers: Answer[]): { count: number; confidence: number; accuracy: number }[] {
  return Array.from({ length: 10 }, (_, bin) =>
    answers.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin),
  )
    .filter((inside) => inside.length > 0)
    .map((inside) => ({
      count: inside.length,
      confidence: inside.reduce((sum, { confidence }) => sum + confidence, 0) / inside.length,
      accuracy: inside.filter(({ told, right }) => told === right).length / inside.length,
    }));
}

/** The rule whose description is nearest by TF-IDF cosine, none where no word is shared; words weigh by this very set. */
export function nearestByTfIdf({ rules, items }: ClassificationSet): Answer[] {
  const language = detectLanguage(rules.map(({ description }) => description).join('\n'));
  const termsOf = (text: string) => analysisFor(language, text).meaningful(text);
  const documents = items.map(({ document }) => counted(termsOf(sampleText(document.pages))));
  const described = rules.map((rule) =>
    counted(termsOf(`${rule.type.replaceAll('_', ' ')} ${rule.description}`)),
  );
  const spread = new Map<string, number>();
  const all = [...documents, ...described];
  for (const counts of all) for (const term of counts.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  const weighed = (counts: Map<string, number>) =>
    new Map([...counts].map(([term, count]) => [term, count * Math.log(all.length / spread.get(term)!)]));
  const vectors = described.map(weighed);
  return documents.map((counts, at) => {
    const document = weighed(counts);
    const likeness = vectors.map((rule) => cosine(document, rule));
    const best = Math.max(...likeness);
    return {
      told: best > 0 ? likeness.indexOf(best) : -1,
      right: rules.findIndex(({ type }) => type === items[at]!.type),
      confidence: best,
    };
  });
}

function counted(terms: string[]): Map<string, number> {
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
