import type { Block, Box, Page, Word } from '#src/documents/document.ts';
import type { DrawnBlock } from '#src/documents/layout/layout.ts';
import { lineBoxes, rounded } from './citations.ts';
import { firstOf } from './places.ts';

/** Range [start, end) of a document's text in UTF-16 code units. */
interface Stretch {
  start: number;
  end: number;
}

/** A block, or a whole page if its blocks have no boxes: its text and its printed words. */
interface Region extends Stretch {
  words: readonly Word[];
  box: Box | undefined;
}

/** Normalised spelling of a text and its words, and the end of each word in that spelling. */
interface Spelling {
  text: string;
  print: string;
  ends: number[];
}

/** Number of characters by which a place is identified. */
const TELLING = 12;
/** Maximum distance in characters from the expected place. */
const REACH = 2_000;
/** Maximum characters before a page's first block. */
const LONGEST_PREFIX = 10_000;
/** Maximum steps for assigning words to blocks. A page that needs more is one region. */
const MOST_STEPS = 2_000_000;

/** Normalises text and print for comparison: letters and digits without case, spaces and Markdown marks. */
const bare = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * Replaces tags and addresses in Markdown by spaces, because they are not printed. Other characters keep
 * their position.
 */
const withoutTags = (markdown: string) =>
  markdown
    .replace(/\]\([^()]*\)/g, (link) => ' '.repeat(link.length))
    .replace(/<\/?[a-z][^<>]*>/gi, (tag) => ' '.repeat(tag.length));

/** Finds where the text of a page is printed. */
export class PrintedPage {
  readonly #text: string;
  readonly #regions: Region[];
  readonly #spellings = new Map<Region, Spelling>();

  /**
   * `text` is the document's, of which `on` is the page. `shown` are the page's blocks as they stand there, which may
   * have been joined with those of its neighbours; `drawn`, where the page is laid out for its picture, says where that
   * puts the page's own ones.
   */
  constructor(text: string, on: Stretch, page: Page, shown: readonly Block[], drawn?: readonly DrawnBlock[]) {
    this.#text = text;
    const words = drawn?.flatMap((block) => block.words) ?? page.words;
    this.#regions = blockRegions(text, on, page, shown, drawn) ?? [{ ...on, words, box: undefined }];
  }

  /**
   * Returns one box per printed line, or the block's box if no words are in it; empty if the page has no
   * boxes.
   */
  boxesOf({ start, end }: Stretch): Box[] {
    const boxes = this.#regions.flatMap((region) => {
      if (region.start >= end || region.end <= start) return [];
      const words =
        start <= region.start && end >= region.end ? region.words : this.#part(region, start, end);
      return words.length === 0 && region.box ? [region.box] : lineBoxes([...words]);
    });
    return boxes.map(rounded);
  }

  #part(region: Region, start: number, end: number): readonly Word[] {
    const spelling = this.#spellingOf(region);
    const lengthTo = (at: number) => bare(withoutTags(this.#text.slice(region.start, at))).length;
    const from = start <= region.start ? 0 : startIn(spelling, lengthTo(start));
    const to = end >= region.end ? spelling.print.length : endIn(spelling, lengthTo(end));
    const { ends } = spelling;
    const first = firstOf(ends.length, (word) => ends[word]! > from);
    const last = firstOf(ends.length, (word) => ends[word]! >= to);
    return region.words.slice(first, last + 1);
  }

  #spellingOf(region: Region): Spelling {
    const known = this.#spellings.get(region);
    if (known) return known;
    const parts = region.words.map(([word]) => bare(word));
    let length = 0;
    const ends = parts.map((part) => {
      length += part.length;
      return length;
    });
    const text = bare(withoutTags(this.#text.slice(region.start, region.end)));
    const spelling = { text, print: parts.join(''), ends };
    this.#spellings.set(region, spelling);
    return spelling;
  }
}

function startIn(spelling: Spelling, at: number): number {
  const { text } = spelling;
  return nearest(spelling, at, text.slice(at, at + TELLING)) ?? inProportion(spelling, at);
}

function endIn(spelling: Spelling, at: number): number {
  const told = spelling.text.slice(Math.max(0, at - TELLING), at);
  const found = nearest(spelling, at - told.length, told);
  return found === undefined ? inProportion(spelling, at) : found + told.length;
}

const inProportion = ({ text, print }: Spelling, at: number) =>
  Math.round((at * print.length) / Math.max(1, text.length));

/** Returns the occurrence of these characters that is nearest to the expected place. */
function nearest(spelling: Spelling, at: number, told: string): number | undefined {
  if (told === '') return undefined;
  const expected = inProportion(spelling, at);
  const from = Math.max(0, expected - REACH);
  const around = spelling.print.slice(from, expected + REACH);
  let best: number | undefined;
  for (let found = around.indexOf(told); found >= 0; found = around.indexOf(told, found + 1)) {
    if (best !== undefined && Math.abs(found + from - expected) >= Math.abs(best - expected)) break;
    best = found + from;
  }
  return best;
}

/** Returns the page's blocks with their words; undefined if a block is not found or has no box. */
function blockRegions(
  text: string,
  on: Stretch,
  page: Page,
  shown: readonly Block[],
  drawn: readonly DrawnBlock[] | undefined,
): Region[] | undefined {
  const blocks = shown.filter(({ markdown }) => markdown !== '');
  const own = ownBlocks(page.blocks, blocks.length);
  const stretches = stretchesOf(text, on, blocks);
  if (!own || !stretches) return undefined;
  if (drawn) {
    return stretches.map((stretch, at) => {
      const { words = [], box } = drawn[own[at]!] ?? {};
      return { ...stretch, words, box };
    });
  }
  const boxes = own.map((at) => page.blocks[at]!.box);
  if (boxes.length === 0 || boxes.some((box) => !box)) return undefined;
  const words = wordsInBoxes(page.words, boxes as Box[]);
  return words && stretches.map((stretch, at) => ({ ...stretch, words: words[at]!, box: boxes[at] }));
}

/**
 * Returns the indexes of the shown blocks: all with text, except the first if the previous page has absorbed
 * it.
 */
function ownBlocks(blocks: readonly Block[], shown: number): number[] | undefined {
  const own = [...blocks.keys()].filter((at) => blocks[at]!.markdown !== '');
  if (own.length === shown) return own;
  const first = own.findIndex((at) => !['header', 'footer', 'figure'].includes(blocks[at]!.type));
  return own.length === shown + 1 ? own.toSpliced(first, 1) : undefined;
}

/** Blocks follow each other in their page. */
function stretchesOf(text: string, on: Stretch, blocks: readonly Block[]): Stretch[] | undefined {
  const stretches: Stretch[] = [];
  let at = on.start;
  for (const { markdown } of blocks) {
    while (text[at] === '\n') at += 1;
    if (!text.startsWith(markdown, at)) {
      if (stretches.length > 0) return undefined;
      const found = text.slice(at, at + LONGEST_PREFIX + markdown.length).indexOf(markdown);
      if (found < 0) return undefined;
      at += found;
    }
    stretches.push({ start: at, end: at + markdown.length });
    at += markdown.length;
  }
  return at > on.end ? undefined : stretches;
}

/**
 * Assigns words to boxes by their centre. A word in several boxes belongs to that of the preceding word, or
 * to the first.
 */
function wordsInBoxes(words: readonly Word[], boxes: readonly Box[]): Word[][] | undefined {
  const inside: Word[][] = boxes.map(() => []);
  let steps = 0;
  let last = 0;
  for (const word of words) {
    if (!holdsMiddle(boxes[last]!, word)) {
      const found = boxes.findIndex((box) => holdsMiddle(box, word));
      steps += found < 0 ? boxes.length : found;
      if (steps > MOST_STEPS) return undefined;
      if (found < 0) continue;
      last = found;
    }
    inside[last]!.push(word);
  }
  return inside;
}

function holdsMiddle(box: Box, [, x, y, w, h]: Word): boolean {
  const [middleX, middleY] = [x + w / 2, y + h / 2];
  return middleX >= box.x && middleX <= box.x + box.w && middleY >= box.y && middleY <= box.y + box.h;
}
