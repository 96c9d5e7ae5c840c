import type { Block, Box, Page, Word } from '#src/documents/document.ts';
import type { DrawnBlock } from '#src/documents/layout/layout.ts';
import { lineBoxes, roundBox } from './citations.ts';
import { findFirstIndex } from './word-edge-index.ts';

/** Range of a document's text in UTF-16 code units. `start` is inclusive and `end` is exclusive. */
interface TextRange {
  start: number;
  end: number;
}

/**
 * Text range of a block, with the words printed in its box. If the blocks have no boxes, the region is the
 * whole page.
 */
interface Region extends TextRange {
  words: readonly Word[];
  box: Box | undefined;
}

/**
 * Normalized text of a region, and the normalized words printed there. `ends` contains the end of each word.
 */
interface Spelling {
  text: string;
  print: string;
  ends: number[];
}

/** Number of characters of the text that are searched for among the printed words to find a position. */
const ANCHOR_CHARACTERS = 12;
/** Maximum distance in characters between the expected and the found position. */
const MAX_DISTANCE = 2_000;
/** Maximum number of characters of a page's text before its first block. */
const MAX_PREFIX_CHARACTERS = 10_000;
/**
 * Maximum number of comparisons when words are assigned to blocks. If a page needs more, the whole page is
 * treated as one region.
 */
const MAX_STEPS = 2_000_000;

/** Normalizes text for comparison. Only letters and digits are kept, in one case. */
const normalizeText = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * Replaces HTML tags, link addresses and the page numbers in labels of footnotes by spaces, because pages do not print
 * them. The positions
 * of other characters stay the same.
 */
const blankTags = (markdown: string) =>
  markdown
    .replace(/\]\([^()]*\)/g, (link) => ' '.repeat(link.length))
    .replace(/\[\^p\d{1,6}-(?=[^[\]\s]{1,20}\])/g, (label) => ' '.repeat(label.length))
    .replace(/<\/?[a-z][^<>]*>/gi, (tag) => ' '.repeat(tag.length));

/** Finds the boxes on a page where ranges of the document's text are printed. */
export class PrintedPage {
  readonly #text: string;
  readonly #regions: Region[];
  readonly #spellings = new Map<Region, Spelling>();

  /**
   * `text` is the document's text, and `pageRange` the range that belongs to the page. `shown` are the page's
   * blocks in this text, possibly joined with blocks of neighbouring pages. `drawn` are the page's own
   * blocks, as laid out for its picture.
   */
  constructor(
    text: string,
    pageRange: TextRange,
    page: Page,
    shown: readonly Block[],
    drawn?: readonly DrawnBlock[],
  ) {
    this.#text = text;
    const words = drawn?.flatMap((block) => block.words) ?? page.words;
    this.#regions = blockRegions(text, pageRange, page, shown, drawn) ?? [
      { ...pageRange, words, box: undefined },
    ];
  }

  /**
   * Returns the boxes of a text range, one per printed line. If a block contains no words, the block's box is
   * returned. Returns an empty list if the page has no boxes.
   */
  findBoxes({ start, end }: TextRange): Box[] {
    const boxes = this.#regions.flatMap((region) => {
      if (region.start >= end || region.end <= start) return [];
      const words =
        start <= region.start && end >= region.end ? region.words : this.#part(region, start, end);
      return words.length === 0 && region.box ? [region.box] : lineBoxes([...words]);
    });
    return boxes.map(roundBox);
  }

  #part(region: Region, start: number, end: number): readonly Word[] {
    const spelling = this.#getSpelling(region);
    const lengthTo = (at: number) => normalizeText(blankTags(this.#text.slice(region.start, at))).length;
    const from = start <= region.start ? 0 : findStart(spelling, lengthTo(start));
    const to = end >= region.end ? spelling.print.length : findEnd(spelling, lengthTo(end));
    const { ends } = spelling;
    const first = findFirstIndex(ends.length, (word) => ends[word]! > from);
    const last = findFirstIndex(ends.length, (word) => ends[word]! >= to);
    return region.words.slice(first, last + 1);
  }

  #getSpelling(region: Region): Spelling {
    const known = this.#spellings.get(region);
    if (known) return known;
    const parts = region.words.map(([word]) => normalizeText(word));
    let length = 0;
    const ends = parts.map((part) => {
      length += part.length;
      return length;
    });
    const text = normalizeText(blankTags(this.#text.slice(region.start, region.end)));
    const spelling = { text, print: parts.join(''), ends };
    this.#spellings.set(region, spelling);
    return spelling;
  }
}

function findStart(spelling: Spelling, at: number): number {
  const { text } = spelling;
  return findNearest(spelling, at, text.slice(at, at + ANCHOR_CHARACTERS)) ?? estimatePosition(spelling, at);
}

function findEnd(spelling: Spelling, at: number): number {
  const anchor = spelling.text.slice(Math.max(0, at - ANCHOR_CHARACTERS), at);
  const found = findNearest(spelling, at - anchor.length, anchor);
  return found === undefined ? estimatePosition(spelling, at) : found + anchor.length;
}

const estimatePosition = ({ text, print }: Spelling, at: number) =>
  Math.round((at * print.length) / Math.max(1, text.length));

/**
 * Finds the occurrence of `anchor` among the printed words that is nearest to the expected position. Returns
 * `undefined` if there is none within `MAX_DISTANCE`.
 */
function findNearest(spelling: Spelling, at: number, anchor: string): number | undefined {
  if (anchor === '') return undefined;
  const expected = estimatePosition(spelling, at);
  const from = Math.max(0, expected - MAX_DISTANCE);
  const searched = spelling.print.slice(from, expected + MAX_DISTANCE);
  let best: number | undefined;
  for (let found = searched.indexOf(anchor); found >= 0; found = searched.indexOf(anchor, found + 1)) {
    if (best !== undefined && Math.abs(found + from - expected) >= Math.abs(best - expected)) break;
    best = found + from;
  }
  return best;
}

function blockRegions(
  text: string,
  pageRange: TextRange,
  page: Page,
  shown: readonly Block[],
  drawn: readonly DrawnBlock[] | undefined,
): Region[] | undefined {
  const blocks = shown.filter(({ markdown }) => markdown !== '');
  const own = findShownBlocks(page.blocks, blocks.length);
  const stretches = locateBlocks(text, pageRange, blocks);
  if (!own || !stretches) return undefined;
  if (drawn) {
    return stretches.map((stretch, at) => {
      const { words = [], box } = drawn[own[at]!] ?? {};
      return { ...stretch, words, box };
    });
  }
  const boxes = own.map((at) => page.blocks[at]!.box);
  if (boxes.length === 0 || boxes.some((box) => !box)) return undefined;
  const words = assignWords(page.words, boxes as Box[]);
  return words && stretches.map((stretch, at) => ({ ...stretch, words: words[at]!, box: boxes[at] }));
}

/**
 * Returns the indexes of the page's blocks that the document's text shows as separate blocks. The first block
 * is missing if it was joined to the previous page. Returns `undefined` if the counts do not match.
 */
function findShownBlocks(blocks: readonly Block[], shown: number): number[] | undefined {
  const own = [...blocks.keys()].filter((at) => blocks[at]!.markdown !== '');
  if (own.length === shown) return own;
  const first = own.findIndex((at) => !['header', 'footer', 'figure'].includes(blocks[at]!.type));
  return own.length === shown + 1 ? own.toSpliced(first, 1) : undefined;
}

/**
 * Returns the text range of each block of a page. The ranges must follow each other directly. Returns
 * `undefined` if a block is not found.
 */
function locateBlocks(text: string, pageRange: TextRange, blocks: readonly Block[]): TextRange[] | undefined {
  const stretches: TextRange[] = [];
  let at = pageRange.start;
  for (const { markdown } of blocks) {
    while (text[at] === '\n') at += 1;
    if (!text.startsWith(markdown, at)) {
      if (stretches.length > 0) return undefined;
      const found = text.slice(at, at + MAX_PREFIX_CHARACTERS + markdown.length).indexOf(markdown);
      if (found < 0) return undefined;
      at += found;
    }
    stretches.push({ start: at, end: at + markdown.length });
    at += markdown.length;
  }
  return at > pageRange.end ? undefined : stretches;
}

/**
 * Assigns printed words to the boxes that contain their centre. If several boxes do, the box of the previous
 * word is preferred, then the first box. Returns `undefined` if the assignment takes too many steps.
 */
function assignWords(words: readonly Word[], boxes: readonly Box[]): Word[][] | undefined {
  const inside: Word[][] = boxes.map(() => []);
  let steps = 0;
  let last = 0;
  for (const word of words) {
    if (!containsCentre(boxes[last]!, word)) {
      const found = boxes.findIndex((box) => containsCentre(box, word));
      steps += found < 0 ? boxes.length : found;
      if (steps > MAX_STEPS) return undefined;
      if (found < 0) continue;
      last = found;
    }
    inside[last]!.push(word);
  }
  return inside;
}

function containsCentre(box: Box, [, x, y, w, h]: Word): boolean {
  const [middleX, middleY] = [x + w / 2, y + h / 2];
  return middleX >= box.x && middleX <= box.x + box.w && middleY >= box.y && middleY <= box.y + box.h;
}
