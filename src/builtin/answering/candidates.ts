import { dropPictureLinks } from '#src/lib/text/picture-links.ts';
import { sentences } from '#src/lib/text/sentences.ts';
import type { Analysis } from '../terms.ts';
import { splitHeaderRows } from './table-headers.ts';

/** Maximum length of a quoted sentence in characters. Longer sentences are cut. */
const MAX_SENTENCE_LENGTH = 600;

/** A sentence that may be quoted. */
export interface Candidate {
  sentence: string;
  /** Index of the node, and index of the sentence in its node. */
  node: number;
  at: number;
  terms: string[];
}

/**
 * Lists the sentences of a Markdown text. List items and rows of tables are separate sentences, and header
 * rows of tables are left out.
 */
export function listCandidates(text: string, node: number, { terms }: Analysis): Candidate[] {
  return splitHeaderRows(dropPictureLinks(text))
    .rest.split(/\n(?=[^\S\n]*(?:[-*+•|#]|\d+[.)]\s))|\n[^\S\n]*\n/)
    .flatMap((block) => sentences(block))
    .flatMap(splitIntoClauses)
    .map(toPlainText)
    .filter((sentence) => sentence !== '')
    .map((sentence, at) => ({ sentence, node, at, terms: terms(sentence) }));
}

/** Matches text in scripts that mark the end of a sentence only by a space, and use spaces elsewhere too. */
const WITHOUT_SENTENCE_END = /^[^\p{L}]*[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Minimum length of a clause in characters. Shorter pieces are joined with the piece after them. */
const MIN_CLAUSE_LENGTH = 160;

function splitIntoClauses(sentence: string): string[] {
  if (sentence.length < 1.5 * MIN_CLAUSE_LENGTH || !WITHOUT_SENTENCE_END.test(sentence)) return [sentence];
  const clauses: string[] = [];
  let clause = '';
  for (const piece of sentence.split(/\s+/)) {
    clause = clause === '' ? piece : `${clause} ${piece}`;
    if (clause.length < MIN_CLAUSE_LENGTH) continue;
    clauses.push(clause);
    clause = '';
  }
  return clause === '' ? clauses : [...clauses, clause];
}

/** Matches a tag of HTML. Spaces after `<` are not allowed, because they occur in comparisons such as "a < b". */
const HTML_TAG = /<\/?[a-z][^<>\n]{0,300}>|<!--[^<>]{0,300}-->/gi;
/** Matches a line that is only the name of a file. */
const FILE_NAME = /^[^\s,;]{1,200}\.[a-z][a-z\d]{1,4}$/i;

/** Converts a sentence to plain text, without Markdown syntax and without the citations of the document. */
function toPlainText(sentence: string): string {
  const plain = sentence
    .replace(/^[\s>]*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?/, '')
    .replace(/^\||\|$/g, '')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(HTML_TAG, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\| ?/g, ', ')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?:\([^()]*\))?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain) || FILE_NAME.test(plain)) return '';
  return plain.length > MAX_SENTENCE_LENGTH ? `${plain.slice(0, MAX_SENTENCE_LENGTH).trimEnd()}…` : plain;
}
