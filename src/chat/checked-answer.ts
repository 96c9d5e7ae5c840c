import { analysisFor } from '#src/builtin/terms.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { AnswerEvent } from './answer.ts';
import { checkedMarks } from './checked-marks.ts';

/** Share of a statement's terms that the passage must have: whoever sums up uses words of their own. */
const LEAST_TERMS = 0.4;

const LEAST_NAMES = 0.5;

/** Of words that are inflected differently, so much of the shorter one is the same. */
const SHARED_BEGINNING = 0.7;

const SHORTEST_BEGINNING = 4;

/** Numbers of one digit are written out as often as not. */
const NUMBER = /\p{Nd}(?:[.,'’\u00a0\u202f]?\p{Nd})+/gu;

const NAME = /(?<=[\p{L}\p{M}\p{N}][^.!?\p{L}\p{M}\p{N}]{1,8})\p{Lu}[\p{L}\p{M}\p{N}]+/gu;

/** A passage as statements are held against it. */
interface Evidence {
  /** Why a statement does not follow from it by its numbers, names and words; undefined when it may. */
  against(statement: string): string | undefined;
}

/** A citation that was taken out of an answer, and why. */
export interface Dropped {
  type: 'dropped';
  citation: number;
  statement: string;
  reason: string;
}

/**
 * A model's answer with those of its citations alone that the passages, as it was shown them, bear out. Without
 * `showsMarks` all are taken out, and not told of.
 */
export async function* checkedAnswer(
  events: AsyncGenerator<AnswerEvent>,
  passages: readonly string[],
  showsMarks: boolean,
): AsyncGenerator<AnswerEvent> {
  const others: AnswerEvent[] = [];
  const known = new Map<number, Evidence>();
  const check = (citation: number, statement: string): string | undefined => {
    if (!showsMarks) return 'no citations were asked for';
    const passage = passages[citation - 1];
    if (passage === undefined) return 'there is no passage of this number';
    const evidence = known.get(citation) ?? evidenceIn(passage);
    known.set(citation, evidence);
    return evidence.against(statement);
  };
  for await (const piece of checkedMarks(textIn(events, others), check)) {
    if (piece.type === 'text' || showsMarks) yield piece;
  }
  yield* others;
}

async function* textIn(events: AsyncGenerator<AnswerEvent>, others: AnswerEvent[]): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === 'text') yield event.delta;
    else others.push(event);
  }
}

export function evidenceIn(passage: string): Evidence {
  const language = detectLanguage(passage);
  const analysis = analysisFor(language, passage);
  const terms = new Set(analysis.terms(passage));
  const beginnings = new Set([...terms].map(beginningOf));
  const has = (term: string) => terms.has(term) || beginnings.has(beginningOf(term));
  const numbers = numbersOf(passage);
  return {
    against(statement) {
      const missing = [...numbersOf(statement)].find((number) => !numbers.has(number));
      if (missing !== undefined) return `the passage does not have the number ${missing}`;
      // Of a translation nothing but numbers can be compared: names are inflected, and not all that is capital is one.
      const spoken = detectLanguage(statement);
      if (spoken !== undefined && language !== undefined && spoken !== language) return undefined;
      const names = statement.match(NAME) ?? [];
      const known = names.filter((name) => analysis.terms(name).some(has));
      if (known.length < names.length * LEAST_NAMES) return 'the passage does not have its names';
      const meaningful = [...new Set(analysis.meaningful(statement))];
      const found = meaningful.filter(has);
      if (found.length < meaningful.length * LEAST_TERMS) return 'the passage has too few of its words';
      return undefined;
    },
  };
}

function beginningOf(term: string): string {
  const kept = Math.max(SHORTEST_BEGINNING, Math.ceil(term.length * SHARED_BEGINNING));
  return term.slice(0, Math.min(kept, 7));
}

/** Without their separators, which differ from language to language. */
function numbersOf(text: string): Set<string> {
  return new Set(
    (text.normalize('NFKC').match(NUMBER) ?? []).map((number) => number.replace(/\P{Nd}/gu, '')),
  );
}
