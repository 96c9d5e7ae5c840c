/**
 * Measures the answers of the built-in answerer to questions with known answers, next to two trivial
 * answerers. A local service retrieves the passages. Half of each set of paragraphs is indexed, and the
 * questions about the other half should be refused.
 * Run: npm run bench:answers -- [--sets xquad-en,scifact] [--questions 40] [--fit]   (CORPORA=<dir>)
 * `--fit` fits the answerer's weights again, on all sets and also without the set that is measured. It also prints
 * which share of the questions every minimum confidence refuses.
 */
import { parseArgs } from 'node:util';
import { createBuiltinAnswerer } from '#src/builtin/answering/answerer.ts';
import { Service } from '#test/process/service.ts';
import { buildCases, type Case, SPAN_SETS } from './answers/cases.ts';
import { leaveOneOut } from './answers/leave-one-out.ts';
import {
  type Answered,
  type Measures,
  measure,
  selectSentenceWithMostWords,
  takeFirstSentence,
} from './answers/measures.ts';
import { REFUSAL_SETS } from './answers/refusals.ts';
import { listTradeOffs } from './answers/trade-offs.ts';
import { withRetries } from './retrieval/client.ts';

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: [...REFUSAL_SETS, ...SPAN_SETS, 'scifact', 'chroma-spans'].join(',') },
    questions: { type: 'string', default: '40' },
    fit: { type: 'boolean', default: false },
  },
});

const ANSWERERS: [string, (one: Case) => Promise<Answered> | Answered][] = [
  ['first sentence', takeFirstSentence],
  ['most words', selectSentenceWithMostWords],
  ['built in', answerWithBuiltIn],
];

/** Sets on which the weights are fitted. */
const FITTED_SETS = [...SPAN_SETS, ...REFUSAL_SETS];

const service = new Service();
await service.start();
const all: Case[] = [];
try {
  console.log(
    'set           answerer        right  cited  false refusals  sentences  ms    unanswerable: refused',
  );
  const call = withRetries(service.call.bind(service));
  for (const set of options.sets.split(',')) {
    const cases = await buildCases(call, set, Number(options.questions));
    if (cases.length === 0)
      console.log(`${set}: not found. Set CORPORA to the folder that contains retrieval/${set}.`);
    else for (const [name, answer] of ANSWERERS) print(set, name, await measure(cases, answer));
    all.push(...cases);
  }
} finally {
  await service.end();
}
if (options.fit) {
  const { weights, measures, judged } = await leaveOneOut(all.filter(({ set }) => FITTED_SETS.includes(set)));
  console.log(`\nFitted on all sets: ${JSON.stringify(weights)}`);
  for (const [set, each] of measures) print(set, 'left out', each);
  for (const line of listTradeOffs(judged)) console.log(line);
}

async function answerWithBuiltIn({ question, nodes, counts }: Case): Promise<Answered> {
  const answered: Answered = { text: '', cited: [], sentences: 0 };
  for await (const part of createBuiltinAnswerer().answer({ question, nodes, counts })) {
    const [, citation] = /^ \[(\d+)\]$/.exec(part) ?? [];
    if (citation === undefined) answered.text += part;
    else answered.cited.push(Number(citation) - 1);
  }
  return { ...answered, sentences: answered.cited.length };
}

function print(set: string, answerer: string, figures: Measures): void {
  const share = (value: number) => (Number.isNaN(value) ? '   -' : value.toFixed(3)).padStart(6);
  const refused = [...figures.refused].map(([kind, value]) => `${kind}${share(value)}`).join(', ');
  const { correct, cited, falselyRefused, sentences, milliseconds } = figures;
  console.log(
    `${set.padEnd(13)} ${answerer.padEnd(15)}${share(correct)} ${share(cited)}  ${share(falselyRefused).padEnd(14)}` +
      `${sentences.toFixed(2).padStart(9)}  ${milliseconds.toFixed(1).padEnd(5)} ${refused}`,
  );
}
