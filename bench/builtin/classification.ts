/**
 * Measures the built-in classifier on nine sets of rules and documents, with weights fitted without the
 * measured set, next to the most similar description by TF-IDF. It also measures variations of the rules and
 * documents, and everyday texts in twelve languages.
 * Run: npm run bench:classify [-- --fit]   (CORPORA=<dir>; `--fit` prints weights fitted on all sets)
 */

import type { Knowledge } from '#src/builtin/classification/term.ts';
import { FITTED } from '#src/builtin/classification/weights.ts';
import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { buildCases, type Case, CONDITIONS, type Condition } from './classification/cases.ts';
import { type Answer, classify, fitWeights } from './classification/fit-classifier.ts';
import { buildEverydaySets } from './classification/languages.ts';
import { classifyLeftOut, selectAnswers } from './classification/left-out.ts';
import { classifyByTfIdf, groupByConfidence, type Measures, measure } from './classification/measures.ts';
import { isFitted, readSets } from './classification/sets.ts';

const figure = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3)).padStart(9);
const row = (name: string, { labelled, none, all, calibrationError }: Measures) =>
  console.log(name.padEnd(26) + [labelled, none, all, calibrationError].map(figure).join(''));
const header = (name: string) => console.log(`\n${name.padEnd(26)} labelled     none      all      ECE`);

export async function benchClassification({ fit = false } = {}): Promise<void> {
  const sets = await readSets();
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const start = performance.now();
  const cases = buildCases(sets, { vectors, wordWeight });
  const milliseconds = performance.now() - start;

  header('each set left out');
  const answers = classifyLeftOut(sets, cases);
  for (const set of sets) {
    row(set.name, measure(selectAnswers(answers, 'as it is', set.name)));
    row('  nearest by TF-IDF', { ...measure(classifyByTfIdf(set)), calibrationError: Number.NaN });
    row('  weights as shipped', measure(classifyAsShipped(cases, set.name)));
  }

  header('mean of the sets, left out');
  for (const condition of Object.keys(CONDITIONS) as Condition[]) {
    row(condition, mean(sets.map((set) => measure(selectAnswers(answers, condition, set.name)))));
  }
  console.log('\nconfidence and accuracy by tenths, left out: sets as they are');
  for (const { count, confidence, accuracy } of groupByConfidence(selectAnswers(answers, 'as it is'))) {
    console.log(`${figure(confidence)}${figure(accuracy)}${String(count).padStart(7)}`);
  }
  printLanguages({ vectors, wordWeight });
  console.log(`\n${cases.length} documents analysed in ${milliseconds.toFixed(0)} ms`);
  if (fit) {
    const weights = fitWeights(cases.filter(({ set }) => isFitted(set)));
    console.log(`\nfitted on all sets: ${JSON.stringify(weights, null, 2)}`);
  }
}

/**
 * Prints the number of right answers for the five texts of each language, with rules in that language and in
 * English, each next to TF-IDF.
 */
function printLanguages(knowledge: Knowledge): void {
  console.log('\ntwelve languages, weights as shipped, of five texts each');
  console.log('                           own rules   TF-IDF  English   TF-IDF');
  const english = buildEverydaySets('English');
  const totals = [0, 0, 0, 0];
  for (const [k, own] of buildEverydaySets('own').entries()) {
    const counts = [own, english[k]!].flatMap((set) => {
      const answers = classifyAsShipped(buildCases([set], knowledge), set.name);
      return [answers, classifyByTfIdf(set)].map(countRight);
    });
    for (const [at, count] of counts.entries()) totals[at]! += count;
    console.log(own.name.padEnd(27) + counts.map((count) => String(count).padStart(9)).join(''));
  }
  console.log('all'.padEnd(27) + totals.map((count) => String(count).padStart(9)).join(''));
}

const countRight = (answers: Answer[]) => answers.filter(({ given, right }) => given === right).length;

const classifyAsShipped = (cases: Case[], set: string) =>
  cases
    .filter((each) => each.set === set && each.condition === 'as it is')
    .map((each) => classify(each, FITTED));

function mean(all: Measures[]): Measures {
  const averageMeasure = (name: keyof Measures) => {
    const values = all.map((each) => each[name]).filter((value) => !Number.isNaN(value));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    labelled: averageMeasure('labelled'),
    none: averageMeasure('none'),
    all: averageMeasure('all'),
    calibrationError: averageMeasure('calibrationError'),
  };
}

if (process.argv[1] === import.meta.filename) {
  await benchClassification({ fit: process.argv.includes('--fit') });
}
