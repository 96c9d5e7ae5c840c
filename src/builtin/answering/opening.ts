import { detectLanguage } from '#src/languages/detect.ts';
import { isGeneralQuestion } from '#src/languages/general-questions.ts';
import { getAnalysis } from '../terms.ts';
import type { AnswerNode } from './analyse-question.ts';
import { findKind } from './asked-kind.ts';
import { type Candidate, listCandidates } from './candidates.ts';

/** Maximum number of sentences that describe a document. */
const MAX_SENTENCES = 3;
/** Minimum number of words of a sentence that describes a document. Shorter lines are headings and names. */
const MIN_TERMS = 5;
const MAX_CHARACTERS = 20_000;

/**
 * Returns the first sentences of the document of the best node if the question is about a whole document, such
 * as "Summarize this". Returns an empty list for other questions.
 */
export function quoteOpening(question: string, nodes: readonly AnswerNode[]): Candidate[] {
  const [best] = nodes;
  if (!best || !asksForWhole(question, best)) return [];
  let first = 0;
  for (const [index, { documentId, startChar = 0 }] of nodes.entries()) {
    if (documentId === best.documentId && startChar < (nodes[first]!.startChar ?? 0)) first = index;
  }
  const { text, language } = nodes[first]!;
  const opening = text.slice(0, MAX_CHARACTERS);
  const candidates = listCandidates(opening, first, getAnalysis(language, opening));
  const telling = candidates.filter(({ terms }) => terms.length >= MIN_TERMS);
  return (telling.length > 0 ? telling : candidates).slice(0, MAX_SENTENCES);
}

function asksForWhole(question: string, { language, text }: AnswerNode): boolean {
  const code = detectLanguage(question) ?? language ?? detectLanguage(text) ?? '';
  // A question for a person, time, place or number is about one fact.
  if (findKind(question.toLowerCase(), code)) return false;
  const words = getAnalysis(code, question)
    .tokens(question)
    .map(({ word }) => word);
  return isGeneralQuestion(question, words, code);
}
