import { buildDeletionOmission } from '#src/formats/shared/containers/unread-parts.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';

/** Formatting state that a group inherits from the group around it. */
export interface RtfState {
  /** Where the text of the group goes. */
  destination:
    | 'body'
    | 'skip'
    | 'fonts'
    | 'styles'
    | 'info'
    | 'picture'
    | 'instruction'
    | 'formula'
    | 'listtext'
    | 'headerFooter'
    | 'note'
    | 'annotation'
    | 'annotationAuthor'
    /** Properties of a shape. Only its pictures and its text box are read. */
    | 'shape';
  /** Document information field that is being read, such as title or author. */
  infoField: string;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  hidden: boolean;
  /** True if the deletion or move of the text was recorded as a change. */
  deleted: boolean;
  /** Position of the text below or above the line. */
  script: 'sub' | 'super' | undefined;
  font: number;
  /** Number of fallback characters after a Unicode character, which have to be skipped. */
  unicodeSkip: number;
  href: string | undefined;
  /** True inside a text box. */
  inBox: boolean;
}

export function initialState(): RtfState {
  return {
    destination: 'body',
    infoField: '',
    bold: false,
    italic: false,
    strike: false,
    hidden: false,
    deleted: false,
    script: undefined,
    font: 0,
    unicodeSkip: 1,
    href: undefined,
    inBox: false,
  };
}

const FORMATS: Record<string, 'bold' | 'italic' | 'strike' | 'hidden' | 'deleted'> = {
  b: 'bold',
  i: 'italic',
  strike: 'strike',
  striked: 'strike',
  v: 'hidden',
  deleted: 'deleted',
  mvf: 'deleted',
};

/** Control words that move text above or below its line. A value of zero moves the text back. */
const SHIFTS: ReadonlyMap<string, RtfState['script']> = new Map<string, RtfState['script']>([
  ['super', 'super'],
  ['up', 'super'],
  ['sub', 'sub'],
  ['dn', 'sub'],
  ['nosupersub', undefined],
]);

/** Applies a control word of character formatting. Returns false for other control words. */
export function setFormat(state: RtfState, word: string, value: number | undefined): boolean {
  const isOn = value !== 0;
  if (SHIFTS.has(word)) {
    state.script = isOn ? SHIFTS.get(word) : undefined;
    return true;
  }
  const format = Object.hasOwn(FORMATS, word) ? FORMATS[word] : undefined;
  if (format) state[format] = isOn;
  if (word === 'plain') {
    Object.assign(state, { bold: false, italic: false, strike: false, hidden: false, deleted: false });
    state.script = undefined;
  }
  return format !== undefined || word === 'plain';
}

/** Destinations whose text does not belong to the document. */
export const SKIPPED_DESTINATIONS = new Set(
  'colortbl filetbl revtbl rsidtbl generator listtable listoverridetable xmlnstbl themedata colorschememapping datastore latentstyles pgptbl wgrffmtfilter bkmkstart bkmkend atnid atntime atnicn atnref atnparent atndate template operator company category keywords comment doccomm hlinkbase manager vern userprops passwordhash nonshppict objdata objclass pnseclvl nextfile mmathPr mmathPict ftnsep ftnsepc aftnsep aftnsepc private xe tc tcf'.split(
    ' ',
  ),
);

const CHARSETS: Record<number, number> = {
  77: 10000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

/** Returns the code page of a Windows font charset, or `undefined` if the document's code page applies. */
export const getCharsetCodePage = (charset: number): number | undefined => CHARSETS[charset];

/** Control words that stand for a single character. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['line', '\n'],
  ['emdash', '—'],
  ['endash', '–'],
  ['emspace', '\u2003'],
  ['enspace', '\u2002'],
  ['qmspace', '\u2005'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['zwj', '\u200d'],
  ['zwnj', '\u200c'],
  ['ltrmark', '\u200e'],
  ['rtlmark', '\u200f'],
  ['~', '\u00a0'],
  ['_', '-'],
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
]);

/** Counts the passages of an RTF file whose deletion was recorded as a change. */
export class RecordedDeletions {
  #count = 0;
  #lastWasDeleted = false;

  /** Adds a text and returns whether it is deleted. One passage may consist of several texts. */
  add(text: string, isDeleted: boolean): boolean {
    if (isDeleted && !this.#lastWasDeleted && text.trim() !== '') this.#count++;
    this.#lastWasDeleted = isDeleted;
    return isDeleted;
  }

  /** Reports the passages as omitted content, if there are any. */
  report(flow: Flow): void {
    if (this.#count > 0) flow.omit(buildDeletionOmission(this.#count));
  }
}
