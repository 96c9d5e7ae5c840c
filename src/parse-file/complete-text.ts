import type { Block, Box, EncodedImage, Page, Word } from '#src/documents/document.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';
import type { RecognisedWord, Recognition } from '#src/ports/ocr.ts';

/** A text layer with fewer of the page's characters is replaced by what the engine read; else it is completed. */
const LEAST_EXTRACTED = 0.5;
/** Words of a block that the text layer has as well, as a share, for the block to say nothing new. */
const MOST_KNOWN = 0.6;
/** Around a glyph, in its heights: the engine's boxes are a little off. */
const MARGIN = 0.25;
/** Between two lines of one block, in letter heights. */
const LARGEST_GAP = 1.2;

/** Whether most of the page's text can be taken from its text layer. */
export const isMostlyExtracted = ({ glyphs }: Page): boolean =>
  glyphs !== undefined && glyphs.extracted >= LEAST_EXTRACTED * glyphs.drawn;

/**
 * Adds to a page what an engine read where characters have no Unicode value. The page's other text stays as it is.
 * `base` is the page without those characters, `areas` says where they stand.
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
  const isMissing = findAmong(areas, base.height);
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
 * Returns a test for boxes: whether the middle of one lies in one of the areas. A file may give its glyphs any size, so
 * only the rows of the page count; where the areas fill too many of them, every box counts as missing.
 */
function findAmong(areas: readonly Box[], height: number): (box: Box) => boolean {
  const rows = new Map<number, Box[]>();
  const lastRow = Math.floor(height / ROW);
  let filled = 0;
  for (const area of areas) {
    const margin = MARGIN * area.h;
    const wide = { x: area.x - margin, y: area.y - margin, w: area.w + 2 * margin, h: area.h + 2 * margin };
    const from = Math.max(0, Math.floor(wide.y / ROW));
    const to = Math.min(lastRow, Math.floor((wide.y + wide.h) / ROW));
    filled += Math.max(0, to - from + 1);
    if (filled > MOST_FILLED) return () => true;
    for (let row = from; row <= to; row++) {
      const known = rows.get(row);
      if (known) known.push(wide);
      else rows.set(row, [wide]);
    }
  }
  return ({ x, y, w, h }) => {
    const [middleX, middleY] = [x + w / 2, y + h / 2];
    const near = rows.get(Math.floor(middleY / ROW)) ?? [];
    // The middle of a word may lie between two of its letters.
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

/** Points. Areas are looked up by the rows that they lie in. */
const ROW = 20;
/** Rows of all areas together. A page of 20,000 letters fills about 60,000. */
const MOST_FILLED = 500_000;

interface Placed {
  word: RecognisedWord;
  box: Box;
  isNew: boolean;
}

/** Makes paragraphs of new words that follow one another. */
function joinNeighbours(words: readonly Placed[]): Block[] {
  const blocks: Block[] = [];
  let run: Placed[] = [];
  const finish = () => {
    if (run.length > 0) blocks.push(toParagraph(run));
    run = [];
  };
  for (const each of words) {
    const last = run.at(-1);
    const gap = last ? each.box.y - (last.box.y + last.box.h) : 0;
    if (!each.isNew || (last && (gap > LARGEST_GAP * each.box.h || gap < -3 * each.box.h))) finish();
    if (each.isNew) run.push(each);
  }
  finish();
  return blocks;
}

function toParagraph(run: readonly Placed[]): Block {
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

/** Before the first block that begins below it; at the end if none does or the place is not known. */
function findPosition(blocks: readonly Block[], box: Box | undefined): number {
  if (!box) return blocks.length;
  const at = blocks.findIndex((block) => block.box && block.type !== 'header' && block.box.y > box.y);
  return at < 0 ? blocks.length : at;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function isKnown(text: string, known: string): boolean {
  const all = new Set(wordsOf(known));
  const words = wordsOf(text);
  return words.length === 0 || words.filter((word) => all.has(word)).length >= MOST_KNOWN * words.length;
}

const toWord = ({ text, confidence }: RecognisedWord, { x, y, w, h }: Box): Word =>
  confidence === undefined ? [text, x, y, w, h] : [text, x, y, w, h, round(confidence)];

const round = (value: number) => Math.round(value * 100) / 100;
