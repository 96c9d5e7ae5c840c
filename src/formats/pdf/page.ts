import type { Block, Figure, Link, Page, Word } from '#src/documents/document.ts';
import type { LayoutPlan, ParsePlan } from '#src/parse/plan.ts';
import { isCut, readingArea } from '#src/parse/reading-area.ts';
import { drawingsOf } from './drawing/drawings.ts';
import { containsCenter, intersect, type Rect, toBox, union } from './geometry.ts';
import type { LinkArea, PageScan } from './scan.ts';
import { type BlockContext, type Draft, joinLines, spaced, toBlock } from './text/blocks.ts';
import { alignedText, insertByPosition, layoutPage } from './text/layout.ts';
import { joinWords, type Line, linesOf, segmentsOf } from './text/lines.ts';
import { type EdgeLine, printedNumber, runningLines } from './text/running.ts';
import { accountForGlyphs, lacksText } from './text/text-account.ts';
import type { TextWord } from './text/words.ts';
import { isUnread } from './unread.ts';

/**
 * Returns the measured ink box of a word, or the word's own box if there is none. Vertical text has its own
 * boxes too, because its letters are joined without their ink boxes.
 */
const wordBox = (word: TextWord): Rect => (word.vertical ? word : (word.ink ?? word));

/** Ink is measured on the displayed page, so it also applies to rotated lines. */
const lineBox = (line: Line): Rect =>
  line.words.every((word) => word.ink && !word.vertical) ? union(line.words.map(wordBox)) : line;

/** Minimum readable font size in points. Some producers sign their files at 1 point. */
const SMALLEST_READABLE = 0.9;

/** Distance in letter heights beyond which lines belong to different paragraphs. */
const PARAGRAPH_GAP = 0.8;

/** Points per letter in layout-preserving text, equal on all pages. */
const LAYOUT_PITCH = 4.8;
/** Maximum letters of a word. */
const LONGEST_WORD = 200;
/** Maximum number of boxes. A dense page has about ten thousand characters. */
const MAX_UNMAPPED_BOXES = 20_000;

export interface PageInput {
  index: number;
  /** Page label of the document. */
  label: string | undefined;
  scan: PageScan;
  neighbours: readonly (readonly EdgeLine[])[];
  outline: ReadonlyMap<string, number>;
  figures: Figure[];
  body: { size: number; monospace: boolean };
  plan: ParsePlan;
  /** Whether to omit words most of whose letters have no Unicode value. */
  mappedOnly?: boolean | undefined;
}

export function buildPage(input: PageInput): Page {
  const { scan, plan, index } = input;
  const { width, height } = scan.frame;
  const area = readingArea(plan.pages.margins, width, height);
  const readable = scan.words.filter(wordFilter(plan.layout, scan));
  const words = readable.filter(
    (word) => containsCenter(area, word) && !(input.mappedOnly && isMostlyUnmapped(word)),
  );
  const links = scan.links.filter((link) => intersect(area, link.rect));
  const context = contextOf(input, words, links);

  const drafts = plan.layout.plainText
    ? plainText(words, context)
    : layoutPage({
        words,
        rules: scan.rules,
        width,
        height,
        plan,
        context,
        running: (segments) => runningLines(segments, height, input.neighbours),
      });
  const figures = input.figures.filter((figure) => figure.box && containsCenter(area, rectOf(figure.box)));
  for (const figure of figures) {
    if (!figure.isLikelyNoise) insertByPosition(drafts, figureDraft(figure));
  }
  const blocks = drafts
    .filter(
      ({ type }) =>
        !(type === 'header' && plan.layout.hideHeaders) && !(type === 'footer' && plan.layout.hideFooters),
    )
    .map((draft) => toBlock(draft, boxesOf(draft, plan.layout)));
  const printed = plan.layout.printedPageNumber ? printedOf(drafts) : undefined;
  const page: Page = {
    index,
    label: input.label ?? printed ?? String(index + 1),
    width: round(width),
    height: round(height),
    text: keepsPlaces(plan.layout, words) ? layoutText(words) : joinBlocks(blocks, 'text'),
    markdown: joinBlocks(blocks, 'markdown'),
    blocks,
    words: words.map(toWord),
    links: links.map((link) => toLink(link, words)),
    figures,
  };
  if (isCut(plan.pages.margins)) page.area = toBox(area);
  const drawings = drawingsOf(scan, blocks).flatMap((drawing) => intersect(area, drawing) ?? []);
  if (drawings.length > 0) page.drawings = drawings.map(toBox);
  if (isUnread(scan, readable)) page.needsOcr = true;
  addAccount(page, scan, area);
  return page;
}

const isMostlyUnmapped = ({ text, unmapped = 0 }: TextWord) => unmapped * 2 > text.length;

/** Counts the drawn characters and marks a page whose text layer lacks more than a small share of them. */
function addAccount(page: Page, scan: PageScan, area: Rect): void {
  const isOnPage = drawnFilter(scan);
  const isDrawn: typeof isOnPage = (part) => isOnPage(part) && containsCenter(area, part);
  const glyphs = accountForGlyphs(scan.words, scan.unmapped, isDrawn);
  page.glyphs = glyphs;
  if (glyphs.withoutUnicode === 0) return;
  const { drawn, withoutUnicode } = glyphs;
  const message = `The fonts of the page do not say which letters ${withoutUnicode} of its ${drawn} characters are.`;
  page.omissions = [{ kind: 'characters_without_unicode', message }];
  if (!lacksText(glyphs)) return;
  page.needsOcr = true;
  page.unmapped = scan.unmapped.filter(isDrawn).slice(0, MAX_UNMAPPED_BOXES).map(toBox);
}

const round = (value: number) => Math.round(value * 100) / 100;
const rectOf = ({ x, y, w, h }: { x: number; y: number; w: number; h: number }) => ({
  x0: x,
  y0: y,
  x1: x + w,
  y1: y + h,
});

function contextOf(
  { outline, body, plan }: PageInput,
  words: readonly TextWord[],
  links: readonly LinkArea[],
): BlockContext {
  const hyphenated = new Set<string>();
  for (const { text } of words) {
    if (text.length <= LONGEST_WORD && /\p{L}-\p{L}/u.test(text))
      hyphenated.add(text.toLowerCase().replace(/^[^\p{L}]+|(?<=\p{L})[^\p{L}]+$/gu, ''));
  }
  return {
    bodySize: body.size,
    bodyIsMonospace: body.monospace,
    outline: plan.layout.ignoreOutline ? new Map() : outline,
    hyphenated,
    tables: plan.tables,
    aggressiveTables: plan.tables.aggressive,
    mark: (word) =>
      plan.layout.links ? links.find((link) => containsCenter(link.rect, word))?.url : undefined,
  };
}

function figureDraft(figure: Figure): Draft {
  return { ...rectOf(figure.box!), type: 'figure', text: '', markdown: `![${figure.name}](${figure.name})` };
}

function joinBlocks(blocks: readonly Block[], part: 'text' | 'markdown'): string {
  return blocks
    .map((block) => block[part])
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Columns of vertical text have no place in a grid of lines. */
const keepsPlaces = (plan: LayoutPlan, words: readonly TextWord[]) =>
  plan.keepAlignment && !words.some((word) => word.vertical);

function layoutText(words: readonly TextWord[]): string {
  const upright = words.filter((word) => word.turns === 0);
  return alignedText(upright, (line) => spaced(line, 0, LAYOUT_PITCH));
}

function printedOf(drafts: readonly Draft[]): string | undefined {
  for (const draft of drafts) {
    if (draft.type !== 'header' && draft.type !== 'footer') continue;
    const number = printedNumber(draft.text);
    if (number) return number;
  }
  return undefined;
}

function toWord(word: TextWord): Word {
  const { x, y, w, h } = toBox(wordBox(word));
  return [word.text, x, y, w, h];
}

function toLink({ url, rect }: LinkArea, words: readonly TextWord[]): Link {
  return { text: joinWords(words.filter((word) => containsCenter(rect, word))), url, box: toBox(rect) };
}

/**
 * Returns the page's words line by line from top to bottom, without detecting columns, tables, headings or
 * margins.
 */
function plainText(words: readonly TextWord[], context: BlockContext): Draft[] {
  const paragraphs: Line[][] = [];
  for (const line of linesOf(segmentsOf(words))) {
    const last = paragraphs.at(-1);
    const above = last?.at(-1);
    if (last && above && line.y0 - above.y1 <= PARAGRAPH_GAP * line.size) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs.map((lines) => {
    const text = joinLines(lines, context);
    return { ...union(lines), type: 'paragraph', text, markdown: text };
  });
}

/** Returns a test for words and glyphs: on the page, and not white on white. */
function drawnFilter({ images, backdrops, frame }: PageScan): (part: Rect & { white: boolean }) => boolean {
  const page = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  const behind = [...backdrops, ...images.map(({ box }) => box)];
  return (part) =>
    containsCenter(page, part) && !(part.white && !behind.some((rect) => containsCenter(rect, part)));
}

/** Returns a test for visible words. Hidden words are painted invisibly, or white without a backdrop. */
function wordFilter(plan: LayoutPlan, { images, backdrops }: PageScan): (word: TextWord) => boolean {
  const behind = [...backdrops, ...images.map(({ box }) => box)];
  const isHidden = (word: TextWord) =>
    word.hidden || (word.white && !behind.some((rect) => containsCenter(rect, word)));
  return (word) =>
    (plan.keepSmallText || word.size >= SMALLEST_READABLE) &&
    !(plan.removeHidden && isHidden(word)) &&
    !(plan.skipDiagonal && word.turns === undefined);
}

/** Returns the bounding boxes of a block and its lines, as far as the plan asks for them. */
function boxesOf(draft: Draft, plan: LayoutPlan): Pick<Block, 'box' | 'lines'> {
  if (!plan.boxes) return {};
  const lines = draft.lines ?? [];
  const isTight = plan.preciseBoxes && lines.length > 0;
  const box = toBox(isTight ? union(lines.map(lineBox)) : draft);
  if (!plan.lineBoxes || lines.length === 0) return { box };
  return { box, lines: lines.map(toFlat) };
}

function toFlat(line: Line): Word {
  const { x, y, w, h } = toBox(lineBox(line));
  return [line.text, x, y, w, h];
}
