import { abstractHeadings } from '#src/languages/general-questions.ts';
import { getAnalysis } from '../terms.ts';
import type { AnswerNode } from './analyse-question.ts';
import { type Candidate, listCandidates } from './candidates.ts';

/** Maximum number of sentences that describe a document, and maximum number of documents that are described. */
const MAX_SENTENCES = 3;
/** Minimum number of words of a sentence that describes a document. Shorter lines are headings and names. */
const MIN_TERMS = 5;
const MAX_CHARACTERS = 20_000;
const MAX_HEADING = 60;

/**
 * Returns sentences that describe documents. If a heading names the summary of a document, the sentences come from the
 * summary, and otherwise from the beginning. Of several documents, one sentence each is returned.
 */
export function quoteOpening(nodes: readonly AnswerNode[]): Candidate[] {
  const documents = groupByDocument(nodes);
  const isBegun = (numbers: number[]) => (nodes[numbers[0]!]!.startChar ?? 0) === 0;
  const begun = documents.filter(isBegun);
  const described = (begun.length > 0 ? begun : documents.slice(0, 1)).slice(0, MAX_SENTENCES);
  const perDocument = described.length > 1 ? 1 : MAX_SENTENCES;
  return described.flatMap((numbers) => describe(nodes, numbers).slice(0, perDocument));
}

/** Returns the numbers of the nodes of each document in the order of the text. The best document comes first. */
function groupByDocument(nodes: readonly AnswerNode[]): number[][] {
  const documents = Map.groupBy(nodes.keys(), (number) => nodes[number]!.documentId ?? '');
  const start = (number: number) => nodes[number]!.startChar ?? 0;
  return [...documents.values()].map((numbers) => numbers.sort((a, b) => start(a) - start(b)));
}

function describe(nodes: readonly AnswerNode[], numbers: number[]): Candidate[] {
  const isLong = ({ terms }: Candidate) => terms.length >= MIN_TERMS;
  const listed = numbers.map((number) => {
    const { text, language } = nodes[number]!;
    const opening = text.slice(0, MAX_CHARACTERS);
    return listCandidates(opening, number, getAnalysis(language, opening));
  });
  const all = listed.flat();
  const heading = all.findIndex(({ sentence }) => isAbstractHeading(sentence));
  const under = listed.find((_, index) => isAbstractHeading(nodes[numbers[index]!]!.headings?.at(-1) ?? ''));
  const abstract = (heading >= 0 ? all.slice(heading + 1) : (under ?? [])).filter(isLong);
  if (abstract.length > 0) return abstract;
  // Later nodes are read only if the first ones have headings and names alone.
  return listed.map((each) => each.filter(isLong)).find((each) => each.length > 0) ?? listed[0]!;
}

/** Returns whether a heading such as "1. Abstract:" names the summary of a document. */
function isAbstractHeading(text: string): boolean {
  const words =
    text
      .slice(0, MAX_HEADING)
      .toLowerCase()
      .normalize('NFC')
      .match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return abstractHeadings.has(words.join(' ')) && text.length <= MAX_HEADING;
}
