import { getAnalysis } from '#src/builtin/terms.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { AnswerEvent } from './answer.ts';
import { checkMarks } from './check-marks.ts';

/**
 * Minimum share, from 0 to 1, of a statement's terms that the cited passage must contain. The limit is low,
 * because summaries use other words.
 */
const MIN_TERM_SHARE = 0.4;

const MIN_NAME_SHARE = 0.5;

/**
 * Share of a term's letters, from the beginning, that must match. The remaining letters may be an inflected
 * ending.
 */
const SHARED_PREFIX_SHARE = 0.7;

const MIN_PREFIX_CHARACTERS = 4;

/**
 * Matches numbers of two or more digits. Numbers of one digit are ignored, because texts often spell them
 * out.
 */
const NUMBER = /\p{Nd}(?:[.,'’\u00a0\u202f]?\p{Nd})+/gu;

const NAME = /(?<=[\p{L}\p{M}\p{N}][^.!?\p{L}\p{M}\p{N}]{1,8})\p{Lu}[\p{L}\p{M}\p{N}]+/gu;

/** Passage that statements are checked against. */
interface Evidence {
  /**
   * Compares the numbers, names and words of a statement with the passage. Returns the reason if the passage
   * does not support the statement, otherwise `undefined`.
   */
  findContradiction(statement: string): string | undefined;
}

/** Citation that was removed from an answer, with the reason. */
export interface DroppedCitation {
  type: 'dropped';
  citation: number;
  statement: string;
  reason: string;
}

/**
 * Removes citations from a model's answer if the cited passage does not support them. `passages` are the
 * texts that the model received. If `showsMarks` is false, all citation marks are removed without a report.
 */
export async function* checkCitations(
  events: AsyncGenerator<AnswerEvent>,
  passages: readonly string[],
  showsMarks: boolean,
): AsyncGenerator<AnswerEvent> {
  const others: AnswerEvent[] = [];
  const known = new Map<number, Evidence>();
  const check = (citation: number, statement: string): string | undefined => {
    if (!showsMarks) return 'citations are disabled';
    const passage = passages[citation - 1];
    if (passage === undefined) return 'there is no passage with this number';
    const evidence = known.get(citation) ?? createEvidence(passage);
    known.set(citation, evidence);
    return evidence.findContradiction(statement);
  };
  for await (const piece of checkMarks(readText(events, others), check)) {
    if (piece.type === 'text' || showsMarks) yield piece;
  }
  yield* others;
}

async function* readText(events: AsyncGenerator<AnswerEvent>, others: AnswerEvent[]): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === 'text') yield event.delta;
    else others.push(event);
  }
}

export function createEvidence(passage: string): Evidence {
  const language = detectLanguage(passage);
  const analysis = getAnalysis(language, passage);
  const terms = new Set(analysis.terms(passage));
  const prefixes = new Set([...terms].map(getPrefix));
  const has = (term: string) => terms.has(term) || prefixes.has(getPrefix(term));
  const numbers = listNumbers(passage);
  return {
    findContradiction(statement) {
      const missing = [...listNumbers(statement)].find((number) => !numbers.has(number));
      if (missing !== undefined) return `the passage does not contain the number ${missing}`;
      // In a translation only numbers can be compared, because names are inflected and capital letters do not
      // always mark a name.
      const statementLanguage = detectLanguage(statement);
      if (statementLanguage !== undefined && language !== undefined && statementLanguage !== language)
        return undefined;
      const names = statement.match(NAME) ?? [];
      const known = names.filter((name) => analysis.terms(name).some(has));
      if (known.length < names.length * MIN_NAME_SHARE)
        return 'the passage does not contain the names of the statement';
      const meaningful = [...new Set(analysis.meaningful(statement))];
      const found = meaningful.filter(has);
      if (found.length < meaningful.length * MIN_TERM_SHARE)
        return 'the passage contains too few words of the statement';
      return undefined;
    },
  };
}

function getPrefix(term: string): string {
  const length = Math.max(MIN_PREFIX_CHARACTERS, Math.ceil(term.length * SHARED_PREFIX_SHARE));
  return term.slice(0, Math.min(length, 7));
}

/** Removes the separators from numbers, because they differ between languages. */
function listNumbers(text: string): Set<string> {
  return new Set(
    (text.normalize('NFKC').match(NUMBER) ?? []).map((number) => number.replace(/\P{Nd}/gu, '')),
  );
}
