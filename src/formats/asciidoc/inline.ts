import type { Run } from '../shared/flow/runs.ts';
import type { Footnotes } from '../shared/markup/footnotes.ts';
import {
  formulaRun,
  type InlineReader,
  type InlineReaders,
  readBetween,
  readInline,
  readPattern,
  scriptRun,
  trimAddress,
  tryReaders,
  withStyle,
} from '../shared/markup/inline.ts';
import { Insertions } from '../shared/markup/insertions.ts';

const CHARACTERS: Record<string, string> = {
  nbsp: ' ',
  zwsp: '',
  amp: '&',
  lt: '<',
  gt: '>',
  plus: '+',
  sp: ' ',
  empty: '',
  blank: '',
  asterisk: '*',
  apos: "'",
  quot: '"',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  deg: '°',
  vbar: '|',
  startsb: '[',
  endsb: ']',
  caret: '^',
  tilde: '~',
  backtick: '`',
  backslash: '\\',
  'two-colons': '::',
  cpp: 'C++',
  pp: '++',
}; // prettier-ignore

const findCharacter = (name: string): string | undefined =>
  Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name] : undefined;

const ADDRESS = /(?:https?|ftp|irc|mailto):[^\s<>[\]"'`]{2,1000}(?:\[([^\][]{0,300})\])?/y;
const LINK_MACRO = /(?:link|mailto|xref):([^\s[\]]{1,1000})\[([^\]]{0,300})\]/y;
const CROSS_REFERENCE = /<<([^<>,]{1,200})(?:,([^<>]{0,300}))?>>/y;
const TEXT_MACRO =
  /(kbd|btn|menu|icon|image|pass|stem|latexmath|asciimath|footnote|footnoteref|indexterm|anchor):([^\s[\]:]{0,300})\[([^\]]{0,600})\]/y;
const ATTRIBUTE = /\{([A-Za-z0-9_][\w-]{0,60})\}/y;
const ANCHOR = /\[\[[^\][]{1,200}\]\]/y;
const ROLE = /\[[.#][^\][]{1,100}\](?=#)/y;
const INDEX_TERM = /\(\(\(?([^()]{1,300})\)\)\)?/y;

/** Removes options such as `window=_blank` from the text of a link. */
const cutOptions = (label: string): string => label.split(/, ?(?:window|role|opts)=/)[0] ?? '';

/** Creates the readers of AsciiDoc's marks within lines. */
export function createReaders(attributes: ReadonlyMap<string, string>, footnotes: Footnotes): InlineReaders {
  const insertions = new Insertions();
  const inner = (text: string, depth: number): Run[] => readInline(text, readers, depth);
  const styled = (mark: string, style: Partial<Run>): InlineReader =>
    tryReaders(
      readBetween(mark + mark, false, (text, depth) => withStyle(inner(text, depth), style)),
      readBetween(mark, true, (text, depth) => withStyle(inner(text, depth), style)),
    );
  const literal = (text: string): Run[] => [{ text: text.replace(/^\+(.*)\+$/s, '$1'), code: true }];
  const link = readPattern(LINK_MACRO, ([whole, target = '', label = ''], depth) => {
    const text = cutOptions(label).replace(/\^$/, '').trim();
    const href = whole.startsWith('mailto') ? `mailto:${target}` : target;
    // Cross references point into the documentation, not to an address.
    if (whole.startsWith('xref')) return inner(text || target.replace(/^#/, ''), depth);
    return withStyle(inner(text || target, depth), { href });
  });
  const address = readPattern(ADDRESS, ([whole, label], depth) => {
    const bare = whole.replace(/\[[^\][]*\]$/, '');
    const href = label === undefined ? trimAddress(bare) : bare;
    const text = (label === undefined ? '' : cutOptions(label)).replace(/\^$/, '').trim();
    const rest = label === undefined ? bare.slice(href.length) : '';
    return [...withStyle(text ? inner(text, depth) : [{ text: href }], { href }), { text: rest }];
  });
  const macro = readPattern(TEXT_MACRO, ([, name = '', target = '', content = ''], depth) => {
    if (name === 'kbd') return [{ text: content, code: true }];
    if (name === 'btn') return [{ text: content, bold: true }];
    if (name === 'menu') return [{ text: [target, content].filter(Boolean).join(' > '), bold: true }];
    if (name === 'stem' || name === 'latexmath') return [formulaRun(content)];
    if (name === 'footnote') return [footnotes.add(inner(content, depth), target || undefined)];
    if (name === 'image') return [{ text: content.split(',')[0] ?? '' }];
    if (name === 'icon' || name === 'anchor' || name === 'indexterm') return [];
    return [{ text: content }];
  });
  const atWord =
    (reader: InlineReader): InlineReader =>
    (text, at, depth) =>
      at > 0 && /[\w\\]/.test(text[at - 1]!) ? undefined : reader(text, at, depth);
  const word = atWord(tryReaders(link, address, macro));
  const readers = new Map<string, InlineReader>([
    ['*', styled('*', { bold: true })],
    ['_', styled('_', { italic: true })],
    ['`', tryReaders(readBetween('``', false, literal), readBetween('`', true, literal))],
    ['#', tryReaders(readBetween('##', false, inner), readBetween('#', true, inner))],
    ['^', readBetween('^', false, (text) => [scriptRun('sup', text)])],
    ['~', readBetween('~', false, (text) => [scriptRun('sub', text)])],
    [
      '+',
      tryReaders(
        readBetween('+++', false, (text) => [{ text }]),
        readBetween('+', true, (text) => [{ text }]),
      ),
    ],
    ['<', readPattern(CROSS_REFERENCE, ([, id = '', label], depth) => inner(label?.trim() || id, depth))],
    [
      '{',
      readPattern(ATTRIBUTE, ([, name = '']) =>
        insertions.insert(attributes.get(name) ?? findCharacter(name)),
      ),
    ],
    [
      '[',
      tryReaders(
        readPattern(ANCHOR, () => []),
        readPattern(ROLE, () => []),
      ),
    ],
    ['(', readPattern(INDEX_TERM, ([whole, term = '']) => (whole.startsWith('(((') ? [] : [{ text: term }]))],
    ['\\', readPattern(/\\[*_`#^~{<[]/y, ([escaped]) => [{ text: escaped.slice(1) }])],
    ...[...'abfhiklmpsx'].map((letter): [string, InlineReader] => [letter, word]),
  ]);
  return readers;
}
