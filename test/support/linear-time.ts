import { expect } from 'vitest';

/** What is repeated, over and over, without anything else. */
export const HOSTILE_UNITS: Record<string, string> = {
  digits: '1',
  'digits and dots': '1.',
  'digits and commas': '1,',
  'digits and blanks': '1 ',
  'digits and hyphens': '1-',
  'at signs': '@',
  addresses: 'a@b.',
  'letters and dots': 'a.',
  dots: '.',
  'dots and blanks': '. ',
  blanks: ' ',
  'a word and blanks': `a${' '.repeat(999)}`,
  newlines: '\n',
  'blank lines': ' \n',
  hyphens: '-',
  'list marks': '- ',
  pipes: '|',
  'pipes and blanks': '| ',
  'table rows': '|-\n',
  quotes: '"',
  apostrophes: "'",
  'quotes and commas': '",',
  'less-than signs': '<',
  'open tags': '<a ',
  'open bold tags': '<b ',
  'open comments': '<!--',
  'open sections': '<![CDATA[',
  'greater-than signs': '>',
  'open brackets': '[',
  'open citations': '[1,',
  'open links': '[a](',
  'open pictures': '![',
  'closing brackets': ']',
  parentheses: '(',
  braces: '{',
  'closing braces': '}',
  stars: '*',
  underscores: '_a',
  backticks: '`',
  backslashes: '\\',
  tildes: '~',
  equals: '=',
  hashes: '# ',
  ampersands: '&',
  colons: ':',
  'header lines': 'a: b\n',
  'labelled dates': 'Due Date: 2031-03-14 ',
  'data URIs': '![](data:image/png;base64,',
  letters: 'x',
  capitals: 'X ',
  'names in capitals': 'Aa ',
  'words that join': 'items with ',
  commas: ',',
  tabs: '\t',
  'form feeds': '\f',
  'carriage returns': '\r',
  ideographs: '数',
  'Cyrillic letters': 'файл',
};

/** With ends that no run of the unit may run into. */
export const repeated = (unit: string, length: number) => `x${unit.repeat(Math.ceil(length / unit.length))}x`;

/** Milliseconds that this process itself computed: what others do on the machine does not count. */
export async function cost(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Less than this is lost among what the runtime does besides. */
const NOISE_MS = 80;
/** Twice the text costs twice as much where work is linear, and four times as much where it is quadratic. */
const MOST_RATIO = 3.2;

/**
 * Asserts that work grows no faster than the text it is given, from `length` characters to twice as many.
 * Only where the clock advances within a computation: in Node, not in a Worker.
 */
export async function expectLinear(work: (length: number) => unknown, length: number): Promise<void> {
  let ratio = Infinity;
  for (let attempt = 0; attempt < 3 && ratio >= MOST_RATIO; attempt++) {
    const twice = await cost(() => work(2 * length));
    if (twice < NOISE_MS) return;
    const once = await cost(() => work(length));
    ratio = Math.min(ratio, twice / Math.max(1, once));
  }
  expect(ratio).toBeLessThan(MOST_RATIO);
}
