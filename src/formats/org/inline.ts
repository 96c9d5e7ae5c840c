import type { Run } from '../shared/flow/runs.ts';
import type { Footnotes } from '../shared/markup/footnotes.ts';
import {
  firstOf,
  formulaRun,
  type InlineReader,
  type InlineReaders,
  isWordCharacter,
  readBetween,
  readInline,
  readPattern,
  scriptRun,
  withStyle,
} from '../shared/markup/inline.ts';

const LINK = /\[\[([^\][]{1,1000})\](?:\[([^\][]{1,600})\])?\]/y;
const FOOTNOTE = /\[fn:([\w-]{0,60})(?::([^\][]{1,600}))?\]/y;
const TIMESTAMP =
  /[<[](\d{4}-\d{2}-\d{2}[^\][<>\n]{0,60})[>\]](?:--[<[](\d{4}-\d{2}-\d{2}[^\][<>\n]{0,60})[>\]])?/y;
const ADDRESS = /(?:https?|ftp|mailto):[^\s<>[\]"'`]{2,1000}/y;
const SCRIPT = /([_^])\{([^{}\n]{1,200})\}/y;
const FORMULA = /\$(?![\s,;.])([^$\n]{1,300})\$(?![\w$])/y;
const FORMULA_IN_PARENTHESES = /\\\(([^\n]{1,500}?)\\\)|\\\[([^\n]{1,500}?)\\\]/y;
const TARGET = /<<<?([^<>\n]{1,200})>>>?/y;
const COOKIE = /\[(?:\d{1,4}\/\d{1,4}|\d{1,3}%)\]/y;
const ENTITIES: Record<string, string> = {
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  epsilon: 'ε',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  sigma: 'σ',
  omega: 'ω',
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  dots: '…',
  rarr: '→',
  to: '→',
  larr: '←',
  deg: '°',
  copy: '©',
  times: '×',
  euro: '€',
  EUR: '€',
  sect: '§',
  para: '¶',
  le: '≤',
  ge: '≥',
  ne: '≠',
  pm: '±',
  infin: '∞',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
}; // prettier-ignore

/** Creates the readers of Org's marks within lines. */
export function createReaders(footnotes: Footnotes): InlineReaders {
  const inner = (text: string, depth: number): Run[] => readInline(text, readers, depth);
  const styled = (mark: string, style: Partial<Run>) =>
    readBetween(mark, true, (text, depth) => withStyle(inner(text, depth), style));
  const literal = (mark: string) => readBetween(mark, true, (text) => [{ text, code: true }]);
  const link = readPattern(LINK, ([, target = '', label], depth) => {
    const isAddress = /^(?:https?|ftp|mailto):/.test(target);
    const shown =
      label === undefined
        ? [{ text: target.replace(/^(?:file|id|attachment):|^[#*]/, '') }]
        : inner(label, depth);
    return isAddress ? withStyle(shown, { href: target }) : shown;
  });
  const address: InlineReader = (text, at, depth) =>
    at > 0 && /[\w\\]/.test(text[at - 1]!)
      ? undefined
      : readPattern(ADDRESS, ([whole]) => {
          const href = whole.replace(/[.,;:!?)]+$/, '');
          return [{ text: href, href }, { text: whole.slice(href.length) }];
        })(text, at, depth);
  const script = readPattern(SCRIPT, ([, mark, text = '']) => [
    scriptRun(mark === '_' ? 'sub' : 'sup', text),
  ]);
  const atWordEnd: InlineReader = (text, at, depth) =>
    isWordCharacter(text[at - 1]) || text[at - 1] === ')' ? script(text, at, depth) : undefined;
  const timestamp = readPattern(TIMESTAMP, ([, from = '', to]) => [{ text: to ? `${from} – ${to}` : from }]);
  const readers = new Map<string, InlineReader>([
    ['*', styled('*', { bold: true })],
    ['/', styled('/', { italic: true })],
    ['+', styled('+', { strike: true })],
    ['_', firstOf(atWordEnd, styled('_', {}))],
    ['^', atWordEnd],
    ['=', literal('=')],
    ['~', literal('~')],
    ['$', readPattern(FORMULA, ([, latex = '']) => [formulaRun(latex)])],
    [
      '[',
      firstOf(
        link,
        readPattern(FOOTNOTE, ([, name = '', text], depth) => [
          text === undefined ? footnotes.mark(name) : footnotes.add(inner(text, depth), name || undefined),
        ]),
        readPattern(COOKIE, () => []),
        timestamp,
      ),
    ],
    [
      '<',
      firstOf(
        timestamp,
        readPattern(TARGET, ([whole, text = '']) => (whole.startsWith('<<<') ? [{ text }] : [])),
        readPattern(/<((?:https?|ftp|mailto):[^\s<>]{2,1000})>/y, ([, href = '']) => [{ text: href, href }]),
      ),
    ],
    [
      '\\',
      firstOf(
        readPattern(FORMULA_IN_PARENTHESES, ([, first, second]) => [formulaRun(first ?? second ?? '')]),
        readPattern(/\\([A-Za-z]{1,20})(?:\{\}|(?![A-Za-z]))/y, ([, name = '']) =>
          Object.hasOwn(ENTITIES, name) ? [{ text: ENTITIES[name]! }] : undefined,
        ),
      ),
    ],
    ...[...'hfm'].map((letter): [string, InlineReader] => [letter, address]),
  ]);
  return readers;
}
