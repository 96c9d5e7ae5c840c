import type { PageTruth } from '#src/reading/verify/index.ts';
import type { TruePage } from './pages.ts';
import { createRandom, pick } from './random.ts';

export interface Reading {
  markdown: string;
  truth: PageTruth;
}

/**
 * Variations of a page's output that keep its whole content. Returns undefined if a variation does not change
 * the page.
 */
export const VARIATIONS: Record<string, (page: TruePage) => Reading | undefined> = {
  'as parsed': (page) => ({ markdown: page.markdown, truth: buildTruth(page) }),
  reflowed: (page) => ({
    markdown: page.markdown
      .replace(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, '')
      .replace(/(?<=[\p{L},])\n(?=\p{Ll})/gu, ' '),
    truth: buildTruth(page),
  }),
  'other emphasis': (page) => {
    const random = createRandom(page.name);
    const markdown = page.markdown.replace(/(?<=\s)\p{L}{3,}(?=\s)/gu, (word) =>
      random() < 0.05 ? `**${word}**` : random() < 0.05 ? `<b>${word}</b>` : word,
    );
    return { markdown, truth: buildTruth(page) };
  },
  'tables as HTML': (page) => withMarkdown(page, writeTablesAsHtml(page.markdown)),
  'without running heads': (page) => {
    const bodyBlocks = page.blocks.filter((block) => !isRunning(block));
    if (bodyBlocks.length === page.blocks.length || bodyBlocks.length === 0) return undefined;
    return withMarkdown(page, bodyBlocks.map(({ markdown }) => markdown).join('\n\n'));
  },
  'blocks in another order': (page) => {
    if (page.blocks.length < 4) return undefined;
    const middle = Math.floor(page.blocks.length / 2);
    const blocks = [...page.blocks.slice(middle), ...page.blocks.slice(0, middle)];
    return withMarkdown(page, blocks.map(({ markdown }) => markdown).join('\n\n'));
  },
  'numbers grouped otherwise': (page) =>
    withMarkdown(page, page.markdown.replace(/(?<![\d.,])(\d{1,3}),(\d{3})(?![\d,])/g, '$1 $2')),
  'dates written otherwise': (page) => withMarkdown(page, writeDatesAsIso(page.markdown)),
  'words split and joined in the text layer': (page) => {
    const random = createRandom(page.name);
    const text = page.text.replace(/(?<=\p{L}{3})(?=\p{L}{3})|(?<=\p{L}) (?=\p{L})/gu, (gap) =>
      random() < 0.02 ? (gap === '' ? ' ' : '') : gap,
    );
    return { markdown: page.markdown, truth: { text, source: 'text layer' } };
  },
  'ligatures in the text layer': (page) =>
    withPrintedText(
      page,
      page.text.replace(/ffi|ffl|ff|fi|fl/g, (letters) => LIGATURES[letters]!).normalize('NFD'),
    ),
  'words divided at line ends': (page) => {
    const random = createRandom(page.name);
    const hyphen = () => (random() < 0.5 ? '-\n' : '\u00ad\n');
    return withPrintedText(
      page,
      page.text.replace(/(?<=\p{Ll}{3})(?=\p{Ll}{3})/gu, (none) => (random() < 0.01 ? hyphen() : none)),
    );
  },
  'lines set with spaced letters': (page) => {
    const random = createRandom(page.name);
    const lines = page.text.split('\n');
    const spaced = lines.map((line) =>
      line.length < 60 && random() < 0.2 ? line.replace(/(?<=[\p{L}\p{M}])(?=\p{L})/gu, ' ') : line,
    );
    return withPrintedText(page, spaced.join('\n'));
  },
  'read by OCR': (page) => {
    const random = createRandom(page.name);
    const text = page.text.replace(/[\p{L}]+/gu, (word) => (random() < 0.03 ? misread(word, random) : word));
    return { markdown: page.markdown, truth: { text, source: 'ocr', confidence: 0.9 } };
  },
};

const LIGATURES: Record<string, string> = { ffi: 'ﬃ', ffl: 'ﬄ', ff: 'ﬀ', fi: 'ﬁ', fl: 'ﬂ' };

/** Returns a reading with another text layer. The output of the page is unchanged. */
const withPrintedText = (page: TruePage, text: string): Reading | undefined =>
  text === page.text ? undefined : { markdown: page.markdown, truth: { text, source: 'text layer' } };

const buildTruth = ({ text, words, blocks }: TruePage): PageTruth => ({
  text,
  runningHeads: blocks.flatMap((block) => (isRunning(block) ? (block.text ?? '') : [])),
  source: 'text layer',
  ...(words && { words }),
});

const isRunning = ({ type }: TruePage['blocks'][number]) => type === 'header' || type === 'footer';

const withMarkdown = (page: TruePage, markdown: string): Reading | undefined =>
  markdown === page.markdown ? undefined : { markdown, truth: buildTruth(page) };

function writeTablesAsHtml(markdown: string): string {
  return markdown.replace(/(?:^\|.*\|[ \t]*\n?)+/gm, (table) => {
    const rows = table
      .trimEnd()
      .split('\n')
      .filter((row) => !/^[|\s:-]+$/.test(row));
    const cells = (row: string) => row.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/);
    const body = rows.map(
      (row) =>
        `<tr>${cells(row)
          .map((cell) => `<td>${cell.trim()}</td>`)
          .join('')}</tr>`,
    );
    return `<table>\n${body.join('\n')}\n</table>\n`;
  });
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function writeDatesAsIso(markdown: string): string {
  const names = MONTHS.join('|');
  const iso = (year: string, month: string, day: string) =>
    `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return markdown
    .replace(new RegExp(`\\b(${names}) (\\d{1,2}), (\\d{4})\\b`, 'g'), (_, month, day, year) =>
      iso(year, month, day),
    )
    .replace(new RegExp(`\\b(\\d{1,2}) (${names}) (\\d{4})\\b`, 'g'), (_, day, month, year) =>
      iso(year, month, day),
    );
}

const CONFUSED: [string, string][] = [
  ['rn', 'm'],
  ['m', 'rn'],
  ['l', '1'],
  ['i', 'l'],
  ['o', '0'],
  ['e', 'c'],
  ['s', '5'],
  ['O', '0'],
  ['I', 'l'],
];

function misread(word: string, random: () => number): string {
  const [right, wrong] = pick(
    CONFUSED.filter(([sign]) => word.includes(sign)),
    random,
  ) ?? ['', ''];
  return right === '' ? word : word.replace(right, wrong);
}
