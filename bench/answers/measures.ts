import { sentences } from '#src/lib/text/sentences.ts';
import type { Case } from './cases.ts';

/** What was answered to one case. */
export interface Answered {
  text: string;
  /** By position in the case's nodes. */
  cited: number[];
  sentences: number;
}

export interface Measures {
  /** Shares of the answerable questions. */
  said: number;
  falselyRefused: number;
  /** Share of the citations. */
  cited: number;
  /** Share of the unanswerable questions, by kind. */
  refused: Map<string, number>;
  /** Of the answers that say something. */
  sentences: number;
  milliseconds: number;
}

export const isRefusal = ({ cited }: Answered): boolean => cited.length === 0;

export async function measure(
  cases: Case[],
  answer: (one: Case) => Promise<Answered> | Answered,
): Promise<Measures> {
  const began = performance.now();
  const all: { one: Case; answered: Answered }[] = [];
  for (const one of cases) all.push({ one, answered: await answer(one) });
  const milliseconds = (performance.now() - began) / Math.max(1, cases.length);
  const answerable = all.filter(({ one }) => one.kind === 'answerable');
  const given = answerable.filter(({ answered }) => !isRefusal(answered));
  const withSpans = answerable.filter(({ one }) => one.answers.length > 0);
  const kinds = [...new Set(cases.map(({ kind }) => kind))].filter((kind) => kind !== 'answerable');
  return {
    said: share(withSpans, ({ one, answered }) => containsAnswer(answered.text, one.answers)),
    falselyRefused: share(answerable, ({ answered }) => isRefusal(answered)),
    cited: share(
      given.flatMap(({ one, answered }) => answered.cited.map((node) => one.right[node])),
      (right) => right === true,
    ),
    refused: new Map(
      kinds.map((kind) => [
        kind,
        share(
          all.filter(({ one }) => one.kind === kind),
          ({ answered }) => isRefusal(answered),
        ),
      ]),
    ),
    sentences: given.reduce((sum, { answered }) => sum + answered.sentences, 0) / Math.max(1, given.length),
    milliseconds,
  };
}

function share<Item>(items: Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? Number.NaN : items.filter(holds).length / items.length;
}

export function containsAnswer(text: string, answers: string[]): boolean {
  const normalised = norm(text);
  return answers.some((answer) => normalised.includes(norm(answer)));
}

/** Letters and digits alone: punctuation and blanks are not what is asked for. */
const norm = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** The first sentence of what was found first. */
export function takeFirstSentence({ nodes }: Case): Answered {
  const [text = ''] = sentences(nodes[0]?.text ?? '');
  return { text, cited: nodes.length > 0 ? [0] : [], sentences: 1 };
}

/** The sentence that holds most of the question's words, as they are. */
export function selectSentenceWithMostWords({ question, nodes }: Case): Answered {
  const questionWords = splitWords(question);
  let best = { text: '', cited: [] as number[], sentences: 1 };
  let most = 0;
  for (const [node, { text }] of nodes.entries()) {
    for (const sentence of sentences(text)) {
      const shared = [...splitWords(sentence)].filter((word) => questionWords.has(word)).length;
      if (shared > most) [most, best] = [shared, { text: sentence, cited: [node], sentences: 1 }];
    }
  }
  return best;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const splitWords = (text: string) =>
  new Set(
    [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) =>
      isWordLike ? [segment] : [],
    ),
  );
