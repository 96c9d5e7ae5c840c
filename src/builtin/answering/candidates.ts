import { dropPictureLinks } from '#src/lib/text/picture-links.ts';
import { sentences } from '#src/lib/text/sentences.ts';
import type { Analysis } from '../terms.ts';
import { splitHeaderRows } from './table-headers.ts';

/** Readers quote no more of one sentence. */
const LONGEST_SENTENCE = 600;

/** A sentence that may be quoted. */
export interface Candidate {
  sentence: string;
  /** Which node it stands in, and the how many-th of its sentences it is; both from 0. */
  node: number;
  at: number;
  terms: string[];
}

/** Lists the sentences of a Markdown text. List items and rows of tables stand by themselves; header rows are left out. */
export function candidatesOf(text: string, node: number, { terms }: Analysis): Candidate[] {
  return splitHeaderRows(dropPictureLinks(text))
    .rest.split(/\n(?=[^\S\n]*(?:[-*+•|#]|\d+[.)]\s))|\n[^\S\n]*\n/)
    .flatMap((block) => sentences(block))
    .flatMap(clausesOf)
    .map(readable)
    .filter((sentence) => sentence !== '')
    .map((sentence, at) => ({ sentence, node, at, terms: terms(sentence) }));
}

/** Scripts that write no end of a sentence but a blank, and blanks elsewhere too. */
const UNENDED = /^[^\p{L}]*[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** What is shorter belongs to what comes behind it. */
const SHORTEST_CLAUSE = 160;

function clausesOf(sentence: string): string[] {
  if (sentence.length < 1.5 * SHORTEST_CLAUSE || !UNENDED.test(sentence)) return [sentence];
  const clauses: string[] = [];
  let clause = '';
  for (const piece of sentence.split(/\s+/)) {
    clause = clause === '' ? piece : `${clause} ${piece}`;
    if (clause.length < SHORTEST_CLAUSE) continue;
    clauses.push(clause);
    clause = '';
  }
  return clause === '' ? clauses : [...clauses, clause];
}

/** The sentence as running text, without Markdown's marks and the document's own citations, which are not the answer's. */
function readable(sentence: string): string {
  const plain = sentence
    .replace(/^[\s>]*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?/, '')
    .replace(/^\||\|$/g, '')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?\| ?/g, ', ')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?:\([^()]*\))?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  return plain.length > LONGEST_SENTENCE ? `${plain.slice(0, LONGEST_SENTENCE).trimEnd()}…` : plain;
}
