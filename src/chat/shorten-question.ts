import { MAX_QUERY_CHARACTERS } from '#src/retrieval-contract/parameters.ts';

/** Numbers of characters that are searched of the beginning and the end of a long question. */
const BEGINNING = 1_000;
const END = 3_000;

/**
 * Returns the part of a question that is searched. A question that is longer than a query may be contains a pasted text.
 * What the user asks stands before or after it, so the beginning and the end are searched, cut between words.
 */
export function shortenQuestion(question: string): string {
  if (question.length <= MAX_QUERY_CHARACTERS) return question;
  const beginning = question.slice(0, BEGINNING).replace(/\s\S*$/u, '');
  const end = question.slice(-END).replace(/^\S*\s/u, '');
  return `${beginning}\n${end}`.trim();
}
