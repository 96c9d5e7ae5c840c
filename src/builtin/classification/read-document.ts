import type { Meaning } from '#src/builtin/word-vectors/word-vectors.ts';
import { type ClassifyDocument, type LayoutFeatures, layoutFeatures } from '#src/classification/document.ts';
import { nameWords } from '#src/lib/text/words.ts';
import { type Knowledge, type Term, termsOf } from './term.ts';

const TABLE = 'table rows columns data';

/** What files are called by their format. */
const OF_EXTENSIONS: Record<string, string> = {
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
export interface Found extends Term {
  /** How much the document says it, 0..1: often for its length, or at its beginning. */
  strength: number;
}

/** One whose meaning is known. */
export type Meant = Found & { meaning: Meaning };

/** What a term says of the document. */
export const saying = ({ weight, strength }: Found): number => weight * strength;

export type ReadDocument = ReadonlyMap<string, Found>;

/** As in BM25: a term that comes so often in a usual document is half as strong as it can be. */
const SATURATION = 1.2;
/** A document of so many terms is a usual one; in a longer one a term has to come more often. */
const USUAL_LENGTH = 300;
const LENGTH_SHARE = 0.5;
/** In terms: the beginning of a document says what it is. */
const BEGINNING = 100;
const BEGINNING_SHARE = 0.5;

/** `text` is the document's sample; its name, its title and words for its shape stand before it. */
export function readDocument(
  document: ClassifyDocument,
  text: string,
  language: string,
  knowledge: Knowledge,
): ReadDocument {
  const { name = '', title = '' } = document;
  const named = nameWords(name.replace(/\.[a-z0-9]{1,5}$/i, '')).join(' ');
  const shape = shapeWords(layoutFeatures(document, text));
  const list = termsOf(`${shape}\n${named}\n${title}\n${text}`, language, knowledge);
  const met = new Map<string, { term: Term; count: number; first: number }>();
  for (const [first, term] of list.entries()) {
    const known = met.get(term.key);
    if (known) known.count++;
    else met.set(term.key, { term, count: 1, first });
  }
  const usual = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * list.length) / USUAL_LENGTH);
  const found = new Map<string, Found>();
  for (const [key, { term, count, first }] of met) {
    const often = count / (count + usual);
    const early = BEGINNING_SHARE * Math.exp(-first / BEGINNING);
    found.set(key, { ...term, strength: 1 - (1 - often) * (1 - early) });
  }
  return found;
}

/** Words for how a document looks, which rules may use of it ("slides", "rows and columns") and its text does not. */
function shapeWords(layout: LayoutFeatures): string {
  const words = [OF_EXTENSIONS[layout.extension] ?? ''];
  if (layout.landscape > 0.6 && layout.wordsPerPage < 220) words.push('presentation slides');
  if (layout.tableLines > 0.6 && layout.sentencesPerHundredWords < 2) words.push(TABLE);
  if (layout.bulletLines > 0.3) words.push('list bullet points');
  if (layout.codeBlocks > 1) words.push('code program examples');
  return words.join(' ');
}
