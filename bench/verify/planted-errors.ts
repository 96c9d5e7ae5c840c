import { findDates } from '#src/reading/verify/dates.ts';
import { findIdentifiers } from '#src/reading/verify/text/identifiers.ts';
import { stripMarkup } from '#src/reading/verify/text/strip-markup.ts';
import { type Token, tokenize } from '#src/reading/verify/text/tokens.ts';
import { pick } from './random.ts';

/**
 * Output with one planted error. `places` are the positions of the error. They are empty if text was removed.
 */
export interface PlantedError {
  markdown: string;
  places: { start: number; end: number }[];
  /** Number of removed words. */
  dropped: number;
}

export interface PlantInput {
  markdown: string;
  /** Names that the page does not contain, and a paragraph in another language. */
  otherNames: string[];
  otherLanguage: string;
  /** Words in the page's language that the page does not contain. */
  otherWords: string[];
  random: () => number;
}

type Plant = (input: PlantInput) => PlantedError | undefined;

export const PLANTED_ERRORS: Record<string, Plant> = {
  'changed digit': ({ markdown, random }) => {
    const { tokens, source } = analyseMarkdown(markdown);
    const token = pick(
      tokens.filter(({ kind, isMarker }) => kind === 'number' && !isMarker),
      random,
    );
    return token && changeDigit(markdown, source(token), random);
  },
  'invented number': ({ markdown, random }) => {
    const { tokens, source } = analyseMarkdown(markdown);
    const token = pick(
      tokens.filter(({ kind }) => kind === 'word'),
      random,
    );
    if (!token) return undefined;
    const { end } = source(token);
    const number = ` ${String(Math.floor(10 + random() * 9990))}`;
    return insert(markdown, end, number, 1);
  },
  'changed date': ({ markdown, random }) => {
    const { plain, tokens, source } = analyseMarkdown(markdown);
    const date = pick(findDates(plain.text, tokens), random);
    if (!date) return undefined;
    const digits = tokens.slice(date.first, date.end).filter(({ key }) => /\d/.test(key));
    const part = pick(digits, random);
    const planted = part && changeDigit(markdown, source(part), random);
    if (!planted) return undefined;
    const start = source(tokens[date.first]!).start;
    return { ...planted, places: [{ start, end: source(tokens[date.end - 1]!).end }] };
  },
  'changed name': ({ markdown, otherNames, random }) => {
    const { tokens, source } = analyseMarkdown(markdown);
    const names = tokens.filter(
      ({ kind, isCapital, letters, isFirst }) =>
        kind === 'word' && isCapital && !isFirst && letters.length > 3,
    );
    const token = pick(names, random);
    const name = pick(otherNames, random);
    return token && name !== undefined ? replace(markdown, source(token), name) : undefined;
  },
  'changed word': ({ markdown, otherWords, random }) => {
    const { tokens, source } = analyseMarkdown(markdown);
    const words = tokens.filter(
      ({ kind, isCapital, letters }) => kind === 'word' && !isCapital && letters.length > 3,
    );
    const token = pick(words, random);
    const word = pick(otherWords, random);
    return token && word !== undefined ? replace(markdown, source(token), word) : undefined;
  },
  'changed identifier': ({ markdown, random }) => {
    const { plain, tokens, source } = analyseMarkdown(markdown);
    const identifier = pick(findIdentifiers(plain.text, tokens), random);
    const parts =
      identifier && tokens.slice(identifier.first, identifier.end).filter(({ key }) => /\d/.test(key));
    const token = parts && pick(parts, random);
    return token && changeDigit(markdown, source(token), random);
  },
  'swapped cells': ({ markdown, random }) => {
    const { plain, tokens, source } = analyseMarkdown(markdown);
    const cells = tokens.filter(
      ({ kind, start }) =>
        kind === 'number' && plain.tables.some((line) => start >= line.start && start < line.end),
    );
    const one = pick(cells, random);
    const two =
      one &&
      pick(
        cells.filter(({ key }) => key !== one.key),
        random,
      );
    if (!one || !two) return undefined;
    const [a, b] = [source(one), source(two)].sort((x, y) => x.start - y.start) as [Span, Span];
    const [left, right] = [markdown.slice(a.start, a.end), markdown.slice(b.start, b.end)];
    const swapped =
      markdown.slice(0, a.start) + right + markdown.slice(a.end, b.start) + left + markdown.slice(b.end);
    const shift = right.length - left.length;
    return {
      markdown: swapped,
      places: [
        { start: a.start, end: a.start + right.length },
        { start: b.start + shift, end: b.end },
      ],
      dropped: 0,
    };
  },
  'dropped row': ({ markdown, random }) => {
    const lines = markdown.split('\n');
    const rows = lines.flatMap((line, index) =>
      isRow(line) && isRow(lines[index - 1] ?? '') ? [index] : [],
    );
    const row = pick(
      rows.filter((index) => countWords(lines[index]!) >= 3),
      random,
    );
    return row === undefined ? undefined : removeText(markdown, lines.toSpliced(row, 1).join('\n'));
  },
  'dropped column': ({ markdown }) => {
    const lines = markdown.split('\n');
    const left = lines.map((line) => {
      const cells = isRow(line) ? line.trimEnd().split(/(?<!\\)\|/) : [];
      return cells.length >= 5 ? [...cells.slice(0, -2), ''].join('|') : line;
    });
    const planted = removeText(markdown, left.join('\n'));
    return planted.dropped >= 5 ? planted : undefined;
  },
  'dropped paragraph': ({ markdown, random }) => {
    const blocks = markdown.split('\n\n');
    const at = pick(
      blocks.flatMap((block, index) => (countWords(block) >= 15 ? [index] : [])),
      random,
    );
    return at === undefined || blocks.length < 2
      ? undefined
      : removeText(markdown, blocks.toSpliced(at, 1).join('\n\n'));
  },
  'cut off': ({ markdown, random }) =>
    countWords(markdown) < 60
      ? undefined
      : removeText(markdown, markdown.slice(0, Math.floor(markdown.length * (0.3 + 0.5 * random())))),
  'repeated block': ({ markdown, random }) => {
    const blocks = markdown.split('\n\n');
    const at = pick(
      blocks.flatMap((block, index) => (countWords(block) >= 12 ? [index] : [])),
      random,
    );
    if (at === undefined) return undefined;
    const start = blocks.slice(0, at + 1).join('\n\n').length + 2;
    const copies = Array.from({ length: 1 + Math.floor(random() * 4) }, () => blocks[at]!);
    return insert(markdown, start - 2, `\n\n${copies.join('\n\n')}`, 2);
  },
  'another language': ({ markdown, otherLanguage, random }) => {
    const blocks = markdown.split('\n\n');
    const at = pick(
      blocks.flatMap((block, index) => (countWords(block) >= 15 ? [index] : [])),
      random,
    );
    if (at === undefined) return undefined;
    const start = at === 0 ? 0 : blocks.slice(0, at).join('\n\n').length + 2;
    return replace(markdown, { start, end: start + blocks[at]!.length }, otherLanguage);
  },
  chatter: ({ markdown, random }) => {
    const [before, after] = pick(CHATTER, random)!;
    const start = before === '' ? markdown.length + 2 : 0;
    const remark = before === '' ? after! : before!;
    return {
      markdown: before === '' ? `${markdown}\n\n${remark}` : `${remark}\n\n${markdown}`,
      places: [{ start, end: start + remark.length }],
      dropped: 0,
    };
  },
};

const CHATTER = [
  ['Here is the transcription of the page:', ''],
  ["Sure! Below is the document's content converted to Markdown.", ''],
  ['', 'Let me know if you would like me to format anything differently!'],
  ['', 'Note: some parts of the image were unclear, so I transcribed them as best I could.'],
];

interface Span {
  start: number;
  end: number;
}

function analyseMarkdown(markdown: string) {
  const plain = stripMarkup(markdown);
  const tokens = tokenize(plain.text, new Map()).map((token) => ({
    ...token,
    isMarker: plain.markers.has(token.start),
  }));
  const source = (token: Token): Span => ({
    start: plain.at[token.start]!,
    end: plain.at[token.end - 1]! + 1,
  });
  return { plain, tokens, source };
}

function changeDigit(markdown: string, { start, end }: Span, random: () => number): PlantedError | undefined {
  const places = [...markdown.slice(start, end).matchAll(/[0-9]/g)].map(({ index }) => start + index);
  const at = pick(places, random);
  if (at === undefined) return undefined;
  const lead = at === places[0] && places.length > 1;
  const others = '0123456789'.replace(markdown[at]!, '').slice(lead && markdown[at] !== '0' ? 1 : 0);
  const changed = replace(markdown, { start: at, end: at + 1 }, pick([...others], random)!);
  return { ...changed, places: [{ start, end }] };
}

const replace = (markdown: string, { start, end }: Span, by: string): PlantedError => ({
  markdown: markdown.slice(0, start) + by + markdown.slice(end),
  places: [{ start, end: start + by.length }],
  dropped: 0,
});

const insert = (markdown: string, at: number, text: string, blanks: number): PlantedError => ({
  markdown: markdown.slice(0, at) + text + markdown.slice(at),
  places: [{ start: at + blanks, end: at + text.length }],
  dropped: 0,
});

const removeText = (markdown: string, left: string): PlantedError => ({
  markdown: left,
  places: [],
  dropped: countWords(markdown) - countWords(left),
});

const isRow = (line: string) => /^\|.*\|\s*$/.test(line);
const UNSPACED = /[\p{sc=Han}\p{sc=Thai}]/gu;
const countWords = (text: string) =>
  (text.match(/[\p{L}\p{M}\p{N}]+/gu)?.length ?? 0) + Math.floor((text.match(UNSPACED)?.length ?? 0) / 4);
