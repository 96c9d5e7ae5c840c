/**
 * The built-in classifier on six sets of rules and documents, each by weights that were fitted without it, beside the
 * nearest description by TF-IDF; then the same with rules and documents varied.
 * Run: npm run bench:classify [-- --fit]   (CORPORA=<dir>; `--fit` prints weights fitted on all sets)
 */
import { FITTED } from '#src/builtin/classification/weights.ts';
import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { type Case, CONDITIONS, type Condition, casesOf } from './classification/cases.ts';
import { type Answer, answerTo, fitted } from './classification/fit-classifier.ts';
import { deciles, type Measures, measure, nearestByTfIdf } from './classification/measures.ts';
import { readSets } from './classification/sets.ts';

const figure = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3)).padStart(9);
const row = (name: string, { labelled, none, all, calibrationError }: Measures) =>
  console.log(name.padEnd(26) + [labelled, none, all, calibrationError].map(figure).join(''));
const header = (name: string) => console.log(`\n${name.padEnd(26)} labelled     none      all      ECE`);

export async function benchClassification({ fit = false } = {}): Promise<void> {
  const sets = await readSets();
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const start = performance.now();
  const cases = casesOf(sets, { vectors, wordWeight });
  const milliseconds = performance.now() - start;

  header('each set left out');
  const answers = new Map<Case, Answer>();
  for (const set of sets) {
    const weights = fitted(cases.filter((each) => each.set !== set.name));
    for (const each of cases.filter(({ set: name }) => name === set.name)) {
      answers.set(each, answerTo(each, weights));
    }
    row(set.name, measure(select(answers, 'as it is', set.name)));
    row('  nearest by TF-IDF', { ...measure(nearestByTfIdf(set)), calibrationError: Number.NaN });
    row('  weights as shipped', measure(shipped(cases, set.name)));
  }

  header('mean of the sets, left out');
  for (const condition of Object.keys(CONDITIONS) as Condition[]) {
    row(condition, mean(sets.map((set) => measure(select(answers, condition, set.name)))));
  }
  console.log('\nconfidence and accuracy by tenths, left out: sets as they are');
  for (const { count, confidence, accuracy } of deciles(select(answers, 'as it is'))) {
    console.log(`${figure(confidence)}${figure(accuracy)}${String(count).padStart(7)}`);
  }
  console.log(`\n${cases.length} documents weighed in ${milliseconds.toFixed(0)} ms`);
  if (fit) console.log(`\nfitted on all sets: ${JSON.stringify(fitted(cases), null, 2)}`);
}

function select(answers: Map<Case, Answer>, condition: Condition, set?: string): Answer[] {
  return [...answers]
    .filter(([each]) => each.condition === condition && (set === undefined || each.set === set))
    .map(([, answer]) => answer);
}

const shipped = (cases: Case[], set: string) =>
  cases
    .filter((each) => each.set === set && each.condition === 'as it is')
    .map((each) => answerTo(each, FITTED));

function mean(all: Measures[]): Measures {
  const of = (name: keyof Measures) => {
    const values = all.map((each) => each[name]).filter((value) => !Number.isNaN(value));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    labelled: of('labelled'),
    none: of('none'),
    all: of('all'),
    calibrationError: of('calibrationError'),
  };
}

if (process.argv[1] === import.meta.filename) {
  await benchClassification({ fit: process.argv.includes('--fit') });
}
