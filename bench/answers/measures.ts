import { sentences } from '#src/lib/text/sentences.ts';
import type { Case } from './cases.ts';

/** Answer to one case. */
export interface Answered {
  text: string;
  /** Indexes of the cited passages in the nodes of the case. */
  cited: number[];
  sentences: number;
}

export interface Measures {
  /**
   * Share of the answerable questions with spans whose answer contains a span, and share of the answerable
   * questions that were refused.
   */
  correct: number;
  falselyRefused: number;
  /** Share of the citations that point to a passage with the answer. */
  cited: number;
  /** Share of the unanswerable questions that were refused, by kind. */
  refused: Map<string, number>;
  /** Mean number of sentences in the answers that are not refusals. */
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
    correct: share(withSpans, ({ one, answered }) => containsAnswer(answered.text, one.answers)),
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
  const normalised = normalizeText(text);
  return answers.some((answer) => normalised.includes(normalizeText(answer)));
}

/** Keeps only letters, marks and digits, because punctuation and spaces do not matter in a comparison. */
const normalizeText = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** Answers with the first sentence of the first passage. */
export function takeFirstSentence({ nodes }: Case): Answered {
  const [text = ''] = sentences(nodes[0]?.text ?? '');
  return { text, cited: nodes.length > 0 ? [0] : [], sentences: 1 };
}

/** Answers with the sentence that contains most words of the question, without stemming. */
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
