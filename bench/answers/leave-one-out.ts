import { type AnalysedQuestion, analyseQuestion } from '#src/builtin/answering/analyse-question.ts';
import {
  chooseSentences,
  computeConfidence,
  computeSigns,
  FITTED,
  scoreCandidate,
  type Weights,
} from '#src/builtin/answering/choose.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { Case } from './cases.ts';
import { fitChoice, fitLogistic, likelihood, quantile } from './fit.ts';
import { type Answered, containsAnswer, type Measures, measure } from './measures.ts';
import type { Judged } from './trade-offs.ts';

/**
 * Share of the answerable questions that may be refused. Languages differ, so a mean of .025 keeps most of
 * them below .05.
 */
const REFUSED = 0.025;

interface Read {
  one: Case;
  reading: AnalysedQuestion;
}

const EVIDENCE = Object.keys(FITTED.evidence) as (keyof Weights['evidence'])[];
const SIGNS = Object.keys(FITTED.signs) as (keyof Weights['signs'])[];

/**
 * Returns weights fitted on all cases. The measures and the confidences of each set come from weights that were
 * fitted without this set.
 */
export async function leaveOneOut(
  cases: Case[],
): Promise<{ weights: Weights; measures: Map<string, Measures>; judged: Judged[] }> {
  const wordWeight = await loadWordWeight();
  const all = cases
    .filter(({ nodes }) => nodes.length > 0)
    .map((one) => ({ one, reading: analyseQuestion(one.question, one.nodes, wordWeight, one.counts) }));
  const measures = new Map<string, Measures>();
  const judged: Judged[] = [];
  for (const set of new Set(all.map(({ one }) => one.set))) {
    const weights = fitWeights(all.filter(({ one }) => one.set !== set));
    const own = all.filter(({ one }) => one.set === set);
    const readings = new Map(own.map(({ one, reading }) => [one, reading]));
    for (const { one, reading } of own) {
      judged.push({ set, kind: one.kind, confidence: computeBestConfidence(reading, weights) });
    }
    measures.set(
      set,
      await measure([...readings.keys()], (one) => answerFromReading(readings.get(one)!, weights)),
    );
  }
  return { weights: fitWeights(all), measures, judged };
}

/** Returns the confidence in the likeliest sentence, or 0 if there is none. */
function computeBestConfidence(reading: AnalysedQuestion, weights: Weights): number {
  if (reading.candidates.length === 0) return 0;
  const scores = reading.evidence.map((each) => scoreCandidate(each, weights));
  return computeConfidence(computeSigns(reading, scores.indexOf(Math.max(...scores))), weights);
}

function answerFromReading(reading: AnalysedQuestion, weights: Weights): Answered {
  const chosen = chooseSentences(reading, weights).map((index) => reading.candidates[index]!);
  return {
    text: chosen.map(({ sentence }) => sentence).join(' '),
    cited: chosen.map(({ node }) => node),
    sentences: chosen.length,
  };
}

function fitWeights(all: Read[]): Weights {
  const named = <Name extends string>(names: Name[], values: number[]) =>
    Object.fromEntries(names.map((name, k) => [name, Number(values[k]!.toFixed(2))])) as Record<Name, number>;
  const answerable = all.filter(({ one }) => one.kind === 'answerable');
  const choices = answerable.map(({ one, reading }) => ({
    set: one.set,
    features: reading.evidence.map((each) => EVIDENCE.map((name) => each[name])),
    isRight: reading.candidates.map(
      ({ node, sentence }) => one.right[node]! && containsAnswer(sentence, one.answers),
    ),
  }));
  const weights: Weights = { ...FITTED, evidence: named(EVIDENCE, fitChoice(choices)) };
  const examples = all
    .filter(({ reading }) => reading.candidates.length > 0)
    .map(({ one, reading }) => {
      const scores = reading.evidence.map((each) => scoreCandidate(each, weights));
      const signs = computeSigns(reading, scores.indexOf(Math.max(...scores)));
      return { features: SIGNS.map((name) => signs[name]), isYes: one.kind === 'answerable' };
    });
  const found = fitLogistic(examples);
  const confidences = examples
    .filter(({ isYes }) => isYes)
    .map(({ features }) => likelihood(found, features));
  return {
    ...weights,
    signs: named(SIGNS, found),
    bias: Number(found.at(-1)!.toFixed(2)),
    minConfidence: Number(quantile(confidences, REFUSED).toFixed(3)),
  };
}
