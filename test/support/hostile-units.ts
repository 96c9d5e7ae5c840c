import { HOSTILE_UNITS } from './linear-time.ts';

/** Texts that are repeated in documents of every format, besides those of `HOSTILE_UNITS`. */
export const MORE_UNITS: Record<string, string> = {
  'very long lines': `${'word '.repeat(2_000)}\n`,
  'tiny lines': 'a\n',
  'control characters': '\u0001\u0002\u001f',
  'null characters': '\u0000',
  'combining marks': '\u0301',
  'a letter with many marks': `a${'\u0301'.repeat(99)}`,
  'right-to-left marks': '\u200f\u202e',
  'Hebrew letters': 'שלום ',
  'surrogate halves': '\ud83d',
  'private-use letters': 'a\ue000',
  emoji: '😀',
  'soft hyphens': 'a\u00ad',
  entities: '&amp;',
  'entities without an end': '&am',
  'numeric entities': '&#x41;',
  'semicolons and blanks': '; ',
  slashes: '/',
  percentages: '%41',
  'question marks': '=?',
};

/** Texts of markup languages: openings without an end, nests, and pieces that refer to others. */
export const MARKUP_UNITS: Record<string, string> = {
  'open div tags': '<div>',
  'open span tags': '<span>',
  'open paragraph tags': '<p>',
  'closing tags': '</b>',
  'closing tags of elements that were never opened': '</div>',
  'misnested tags': '<b><p></b></p>',
  'nested tables': '<table><tr><td>',
  'table rows without an end': '<tr><td>a',
  'cells without an end': '<td>a',
  'cells that span': '<td colspan=1000 rowspan=1000>a</td>',
  'nested lists': '<ul><li>a',
  'nested quotes': '<blockquote>a',
  'nested headers': '<header>a',
  'headings without an end': '<h1>a',
  'code blocks of backticks': '<pre>```</pre>',
  'open code blocks': '<pre>`',
  'inline code': '<code>`</code>',
  'line breaks': 'a<br>',
  rubies: '<ruby>a<rt>b</rt>',
  images: '<img src="data:image/png;base64,iVBORw0KGgo=">',
  links: '<a href="x">a</a>',
  attributes: ' a=b',
  'style attributes': '<p style="display:none;display:block">a</p>',
  'style sheets': '<style>.a{display:none}</style>',
  'rules of a style sheet': '.a,.b{display:none}',
  'declarations of a document type': '<!DOCTYPE a [',
  'processing instructions': '<?a ',
  'namespaces of XML': '<a:b xmlns:a="a">',
  'empty elements': '<a/>',
  'mixed content': '<a>b</a>c',
};

/** Texts of Markdown: marks of containers, tables, notes and references. */
export const MARKDOWN_UNITS: Record<string, string> = {
  'nested quotes': '> ',
  'quotes with lists': '> - ',
  'quoted lines': '> a\n',
  'numbered items': '1. a\n',
  'items and blank lines': '- a\n\n',
  'nested items': '- a\n  - b\n',
  'table rows with cells': '| a | b |\n',
  'table heads': 'a|b\n-|-\n',
  'wide table rows': '|a',
  'delimiter cells': '|-',
  footnotes: '[^1]: a\n',
  'footnote marks': '[^1]',
  'reference definitions': '[a]: b\n',
  'reference links': '[a][a]',
  'open reference definitions': '[a]:\n',
  'links in links': '[[a](b)](c)',
  'links with titles': '[a](b "',
  'angle links': '[a](<b',
  autolinks: '<http://a',
  'emphasis marks': '*a **b ',
  'mixed emphasis': '*_',
  'strikethrough marks': '~~a ',
  'code spans of growing length': '` `` ``` ',
  'code fences': '```\na\n```\n',
  'open code fences': '```\n',
  'HTML blocks': '<div>\n\n',
  'HTML comments': '<!--\n',
  'headings with underlines': 'a\n=\n',
  'front matter': '---\n',
  'hard line breaks': 'a  \n',
  'escaped pipes': '\\|',
};

/** Texts of RTF. */
export const RTF_UNITS: Record<string, string> = {
  groups: '{\\rtf ',
  'groups that end': '{a}',
  'list labels': '{\\listtext a}',
  'one long list label': '\\listtext a{}',
  'style names': '\\stylesheet a{}',
  fields: '{\\field{\\*\\fldinst HYPERLINK "a"}{\\fldrslt b',
  'hex letters': "\\'41",
  'Unicode letters': '\\u65 ?',
  'cells of a table': '\\intbl a\\cell ',
  'rows of a table': '\\intbl a\\cell\\row ',
  paragraphs: 'a\\par ',
  pictures: '{\\pict 00',
  'binary data': '\\bin1 a',
  formulas: '{\\mmath{\\*\\moMath{\\mr a}}}',
  'open fractions': '{\\mmath{\\mf{\\mnum a',
  'scripts of scripts': '\\moMath{\\msSup{\\me{\\mr a}}{\\msup ',
  'packed HTML': '\\fromhtml1{\\*\\htmltag64 <b>}a',
  notes: '{\\footnote a}',
  comments: '{\\*\\annotation a}',
  'text boxes': '{\\shp{\\*\\shpinst{\\shptxt a\\par ',
};

/** Texts of e-mail. */
export const MAIL_UNITS: Record<string, string> = {
  boundaries: '--b\n',
  'parts of a message': '--b\nContent-Type: text/plain\n\na\n',
  'attached messages': '--b\nContent-Type: message/rfc822\n\nSubject: a\n\nb\n',
  'nested parts': 'Content-Type: multipart/mixed; boundary=b\n\n--b\n',
  'quoted-printable letters': '=41',
  'broken quoted-printable letters': '=\n',
  base64: 'QUJD',
  'base64 lines': 'QUJD\n',
  'encoded words': '=?utf-8?Q?a?= ',
  'folded header lines': ' a\n',
  recipients: 'a <b@c>, ',
  'groups of recipients': 'a:b;',
  'parameters of a header': '; a*0=b',
  'quoted replies': '> a\n',
};

/** Texts of JSON, beginning within a value. */
export const JSON_UNITS: Record<string, string> = {
  'open arrays': '[',
  'open objects': '{"a":',
  numbers: '1,',
  records: '{"a":1},',
  'lines of records': '{"a":1}\n',
  'escaped quotes': '\\"',
};

/** A generator of numbers from 0 to below 1 that a seed determines (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns `count` units, each of two or three of `units`: one after the other, or each repeated a few times. The same
 * seed gives the same units.
 */
export function combineUnits(
  units: Record<string, string>,
  count: number,
  seed: number,
): Record<string, string> {
  const random = seededRandom(seed);
  const entries = Object.entries(units);
  const combined: Record<string, string> = {};
  for (let made = 0; made < count; made++) {
    const parts = Array.from({ length: 2 + Math.trunc(random() * 2) }, () => {
      const [name, unit] = entries[Math.trunc(random() * entries.length)]!;
      const times = random() < 0.5 ? 1 : 1 + Math.trunc(random() * 30);
      return { name: times === 1 ? name : `${name} (${times} times)`, text: unit.repeat(times) };
    });
    combined[parts.map(({ name }) => name).join(' + ')] = parts.map(({ text }) => text).join('');
  }
  return combined;
}

/** The units that documents of every format are made of. */
export const COMMON_UNITS: Record<string, string> = { ...HOSTILE_UNITS, ...MORE_UNITS };
