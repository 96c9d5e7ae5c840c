import type { Meaning } from '#src/builtin/word-vectors/word-vectors.ts';
import { type ClassifyDocument, type LayoutFeatures, measureLayout } from '#src/classification/document.ts';
import { splitIdentifier } from '#src/lib/text/words.ts';
import { type Knowledge, listTerms, type Term } from './term.ts';

const TABLE = 'table rows columns data';

/** Words that describe a file format, by file extension. */
const WORDS_BY_EXTENSION: Record<string, string> = {
  csv: `csv ${TABLE}`,
  tsv: TABLE,
  xls: `excel spreadsheet ${TABLE}`,
  xlsx: `excel spreadsheet ${TABLE}`,
  ods: `spreadsheet ${TABLE}`,
  ppt: 'powerpoint presentation slides',
  pptx: 'powerpoint presentation slides',
  odp: 'presentation slides',
  eml: 'email mail message',
  msg: 'email mail message',
  md: 'markdown readme documentation',
  jpg: 'picture photo image',
  png: 'picture image',
};

/** A term of the document. */
export interface DocumentTerm extends Term {
  /**
   * How strongly the document uses the term, from 0 to 1. A term is strong if it is frequent for the
   * document's length or occurs near the beginning.
   */
  strength: number;
  /** Number of terms before the first occurrence. Words for the document's layout, its name and its title come first. */
  first: number;
}

/** A term of the document whose meaning is known. */
export type MeaningfulTerm = DocumentTerm & { meaning: Meaning };

export const getSignificance = ({ weight, strength }: DocumentTerm): number => weight * strength;

export type ReadDocument = ReadonlyMap<string, DocumentTerm>;

/**
 * Saturation as in BM25: a term that occurs this often in a document of typical length has half of the
 * maximum strength.
 */
const SATURATION = 1.2;
/**
 * Typical length of a document in terms. In a longer document a term has to occur more often to be as strong.
 */
const TYPICAL_LENGTH = 300;
const LENGTH_SHARE = 0.5;
/**
 * Number of terms over which the bonus for terms near the beginning fades. The beginning of a document often
 * says what the document is.
 */
const BEGINNING = 100;
const BEGINNING_SHARE = 0.5;

/**
 * Returns the terms of a document with their strengths. Words for its layout, its name and its title are
 * placed before the text. `text` is the document's sample.
 */
export function readDocument(
  document: ClassifyDocument,
  text: string,
  language: string,
  knowledge: Knowledge,
): ReadDocument {
  const { name = '', title = '' } = document;
  const named = splitIdentifier(name.replace(/\.[a-z0-9]{1,5}$/i, '')).join(' ');
  const shape = listShapeWords(measureLayout(document, text));
  const list = listTerms(`${shape}\n${named}\n${title}\n${text}`, language, knowledge);
  const met = new Map<string, { term: Term; count: number; first: number }>();
  for (const [first, term] of list.entries()) {
    const known = met.get(term.key);
    if (known) known.count++;
    else met.set(term.key, { term, count: 1, first });
  }
  const usual = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * list.length) / TYPICAL_LENGTH);
  const found = new Map<string, DocumentTerm>();
  for (const [key, { term, count, first }] of met) {
    const often = count / (count + usual);
    const early = BEGINNING_SHARE * Math.exp(-first / BEGINNING);
    found.set(key, { ...term, first, strength: 1 - (1 - often) * (1 - early) });
  }
  return found;
}

/**
 * Returns words that describe the file format and the layout of a document, such as "rows columns". Rules may use
 * them although the text does not. Slides and tables are recognized by their form instead.
 */
function listShapeWords(layout: LayoutFeatures): string {
  const words = [WORDS_BY_EXTENSION[layout.extension] ?? ''];
  if (layout.bulletLines > 0.3) words.push('list bullet points');
  if (layout.codeBlocks > 1) words.push('code program examples');
  return words.join(' ');
}
