/** What a group inherits from the one around it. */
export interface RtfState {
  /** What text in this group is for. */
  destination:
    | 'body'
    | 'skip'
    | 'fonts'
    | 'styles'
    | 'info'
    | 'picture'
    | 'instruction'
    | 'listtext'
    | 'edge';
  /** The information field being read: title, author. */
  infoField: string;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  hidden: boolean;
  font: number;
  /** Characters that stand in for a Unicode one, to be skipped. */
  unicodeSkip: number;
  href: string | undefined;
}

export function initialState(): RtfState {
  return {
    destination: 'body',
    infoField: '',
    bold: false,
    italic: false,
    strike: false,
    hidden: false,
    font: 0,
    unicodeSkip: 1,
    href: undefined,
  };
}

/** Groups whose text is not the document's. */
export const SKIPPED_DESTINATIONS = new Set(
  'colortbl filetbl revtbl rsidtbl generator listtable listoverridetable xmlnstbl themedata colorschememapping datastore latentstyles pgptbl wgrffmtfilter bkmkstart bkmkend annotation atnid atnauthor atntime atnicn atnref atnparent atndate template operator company category keywords comment doccomm hlinkbase manager vern userprops passwordhash nonshppict objdata objclass shpinst sp pnseclvl nextfile mmathPr ftnsep ftnsepc aftnsep aftnsepc private xe tc tcf'.split(
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

/** The code page of a Windows font charset; undefined where the document's own applies. */
export const codePageOfCharset = (charset: number): number | undefined => CHARSETS[charset];

/** Control words that are one character of text. */
export const SYMBOLS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  emspace: '\u2003',
  enspace: '\u2002',
  qmspace: '\u2005',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  zwj: '\u200d',
  zwnj: '\u200c',
  ltrmark: '\u200e',
  rtlmark: '\u200f',
  '~': '\u00a0',
  _: '-',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
