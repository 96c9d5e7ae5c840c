import type { Block, Box, EncodedImage, Page, Word } from '#src/documents/document.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';
import type { RecognisedWord, Recognition } from '#src/ports/ocr.ts';

/**
 * Minimum share of a page's characters that the text layer must contain to be completed by OCR. With a
 * smaller share, the OCR text replaces the text layer.
 */
const MIN_EXTRACTED_SHARE = 0.5;
/**
 * Minimum share of the words of an OCR block that the text layer must contain. The text layer then counts as
 * containing the block.
 */
const MIN_KNOWN_SHARE = 0.6;
/**
 * Margin around a glyph, as a multiple of the glyph's height. The margin is needed because the boxes of the
 * OCR engine are not exact.
 */
const MARGIN = 0.25;
/** Maximum gap between two lines of the same block, as a multiple of the letter height. */
const MAX_GAP = 1.2;

/** Returns whether the text layer contains most of the page's text. */
export const isMostlyExtracted = ({ glyphs }: Page): boolean =>
  glyphs !== undefined && glyphs.extracted >= MIN_EXTRACTED_SHARE * glyphs.drawn;

/**
 * Adds the text that OCR recognized where characters have no Unicode value. The other text of the page is
 * unchanged. `base` is the page without those characters, and `areas` are their positions.
 */
export function completePage(
  base: Page,
  areas: readonly Box[],
  image: EncodedImage,
  recognition: Recognition,
  readBlocks: readonly Block[],
): Page {
  const shown = base.area ?? { x: 0, y: 0, w: base.width, h: base.height };
  const scale = { x: shown.w / image.width, y: shown.h / image.height };
  const place = ({ box }: RecognisedWord): Box => ({
    x: round(shown.x + box.x * scale.x),
    y: round(shown.y + box.y * scale.y),
    w: round(box.w * scale.x),
    h: round(box.h * scale.y),
  });
  const isMissing = createAreaTest(areas, base.height);
  const placed = recognition.words.map((word) => ({ word, box: place(word) }));
  const missing = placed.map(({ word, box }) => ({ word, box, isNew: isMissing(box) }));
  const added =
    recognition.words.length > 0
      ? joinNeighbours(missing)
      : readBlocks.filter((block) => !isKnown(block.text, base.text));
  const blocks = [...base.blocks];
  for (const block of added) blocks.splice(findPosition(blocks, block.box), 0, block);
  const words = missing.filter(({ isNew }) => isNew).map(({ word, box }) => toWord(word, box));
  const join = (part: 'text' | 'markdown') =>
    blocks
      .map((block) => block[part])
      .filter((each) => each !== '')
      .join('\n\n');
  return {
    ...base,
    text: join('text'),
    markdown: join('markdown'),
    blocks,
    words: [...base.words, ...words],
  };
}

/**
 * Returns a function that tells whether the middle of a box lies in one of the areas. Areas are indexed by
 * rows of the page, because a file may declare glyphs of any size. If the areas fill too many rows, every box
 * passes the test.
 */
function createAreaTest(areas: readonly Box[], height: number): (box: Box) => boolean {
  const rows = new Map<number, Box[]>();
  const lastRow = Math.floor(height / ROW);
  let filled = 0;
  for (const area of areas) {
    const margin = MARGIN * area.h;
    const wide = { x: area.x - margin, y: area.y - margin, w: area.w + 2 * margin, h: area.h + 2 * margin };
    const from = Math.max(0, Math.floor(wide.y / ROW));
    const to = Math.min(lastRow, Math.floor((wide.y + wide.h) / ROW));
    filled += Math.max(0, to - from + 1);
    if (filled > MAX_FILLED_ROWS) return () => true;
    for (let row = from; row <= to; row++) {
      const known = rows.get(row);
      if (known) known.push(wide);
      else rows.set(row, [wide]);
    }
  }
  return ({ x, y, w, h }) => {
    const [middleX, middleY] = [x + w / 2, y + h / 2];
    const near = rows.get(Math.floor(middleY / ROW)) ?? [];
    // The middle of a word may lie between two of its letters, so an area beside the middle also counts if it
    // overlaps the word.
    return near.some(
      (area) =>
        middleY >= area.y &&
        middleY <= area.y + area.h &&
        x < area.x + area.w &&
        x + w > area.x &&
        Math.abs(area.x + area.w / 2 - middleX) <= Math.max(area.w, w / 2),
    );
  };
}

/** Height in points of the rows of a page by which areas are indexed. */
const ROW = 20;
/** Maximum number of rows that all areas may fill in total. A page with 20,000 letters fills about 60,000. */
const MAX_FILLED_ROWS = 500_000;

interface PlacedWord {
  word: RecognisedWord;
  box: Box;
  isNew: boolean;
}

/** Joins consecutive words that OCR added to the page into paragraphs. */
function joinNeighbours(words: readonly PlacedWord[]): Block[] {
  const blocks: Block[] = [];
  let run: PlacedWord[] = [];
  const finish = () => {
    if (run.length > 0) blocks.push(toParagraph(run));
    run = [];
  };
  for (const each of words) {
    const last = run.at(-1);
    const gap = last ? each.box.y - (last.box.y + last.box.h) : 0;
    if (!each.isNew || (last && (gap > MAX_GAP * each.box.h || gap < -3 * each.box.h))) finish();
    if (each.isNew) run.push(each);
  }
  finish();
  return blocks;
}

function toParagraph(run: readonly PlacedWord[]): Block {
  const { text, markdown } = renderRuns([{ text: run.map(({ word }) => word.text).join(' ') }], {
    links: false,
  });
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { box } of run) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.w);
    bottom = Math.max(bottom, box.y + box.h);
  }
  const box = { x: left, y: top, w: round(right - left), h: round(bottom - top) };
  return { type: 'paragraph', text, markdown, box };
}

/**
 * Returns the index at which to insert a block with the given box, which is before the first block that
 * begins below. Returns the end of the list if there is no such block or the box is unknown.
 */
function findPosition(blocks: readonly Block[], box: Box | undefined): number {
  if (!box) return blocks.length;
  const at = blocks.findIndex((block) => block.box && block.type !== 'header' && block.box.y > box.y);
  return at < 0 ? blocks.length : at;
}

const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function isKnown(text: string, known: string): boolean {
  const all = new Set(splitWords(known));
  const words = splitWords(text);
  return words.length === 0 || words.filter((word) => all.has(word)).length >= MIN_KNOWN_SHARE * words.length;
}

const toWord = ({ text, confidence }: RecognisedWord, { x, y, w, h }: Box): Word =>
  confidence === undefined ? [text, x, y, w, h] : [text, x, y, w, h, round(confidence)];

const round = (value: number) => Math.round(value * 100) / 100;
