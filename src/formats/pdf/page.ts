import type { Block, Figure, Link, Page, Word } from '#src/documents/document.ts';
import type { LayoutPlan, ParsePlan } from '#src/parse/plan.ts';
import { computeReadingArea, hasMargins } from '#src/parse/reading-area.ts';
import { findDrawings } from './drawing/drawings.ts';
import { containsCenter, intersect, type Rect, toBox, union } from './geometry.ts';
import type { Formula } from './math/formulas.ts';
import { hasTextOnlyInPictures } from './picture-text.ts';
import type { LinkArea, PageScan } from './scan.ts';
import { type BlockContext, type Draft, padToColumns, toBlock } from './text/blocks.ts';
import type { HeadingStyles } from './text/headings/styles.ts';
import { joinLines } from './text/join-lines.ts';
import { insertByPosition, layoutPage, renderAlignedText } from './text/layout.ts';
import { joinIntoLines, joinWords, type Line, splitIntoSegments } from './text/lines.ts';
import { type EdgeLine, findRunningLines, parsePageNumber } from './text/running/running.ts';
import { countGlyphs, lacksText } from './text/unmapped-text.ts';
import type { Vocabulary } from './text/vocabulary.ts';
import type { TextWord } from './text/words.ts';

/**
 * Returns the measured ink box of a word, or its font box if the ink was not measured. Vertical words keep
 * their own box, because their letters are joined without ink boxes.
 */
const wordBox = (word: TextWord): Rect => (word.vertical ? word : (word.ink ?? word));

/**
 * Returns the ink box of a line. Ink is measured on the displayed page, so it is also valid for rotated
 * lines.
 */
const lineBox = (line: Line): Rect =>
  line.words.every((word) => word.ink && !word.vertical) ? union(line.words.map(wordBox)) : line;

/** Minimum readable font size in points. Some producers sign their files at 1 point. */
const MIN_READABLE_SIZE = 0.9;

/** Distance in letter heights beyond which lines belong to different paragraphs. */
const PARAGRAPH_GAP = 0.8;

/** Width of a letter in points for text with preserved layout, which is equal on all pages. */
const LAYOUT_PITCH = 4.8;
/**
 * Maximum number of boxes of characters without a Unicode value. A dense page has about ten thousand
 * characters.
 */
const MAX_UNMAPPED_BOXES = 20_000;

export interface PageInput {
  index: number;
  /** Page label that the document defines. Undefined if it defines none. */
  label: string | undefined;
  scan: PageScan;
  neighbours: readonly (readonly EdgeLine[])[];
  outline: ReadonlyMap<string, number>;
  figures: Figure[];
  body: { size: number; monospace: boolean };
  headingStyles: HeadingStyles;
  /** Words of the page and its neighbors. */
  vocabulary: Vocabulary;
  plan: ParsePlan;
  /** True to omit words in which most letters have no Unicode value. */
  mappedOnly?: boolean | undefined;
}

export function buildPage(input: PageInput): Page {
  const { scan, plan, index } = input;
  const { width, height } = scan.frame;
  const area = computeReadingArea(plan.pages.margins, width, height);
  const readable = scan.words.filter(createWordFilter(plan.layout, scan));
  const words = readable.filter(
    (word) => containsCenter(area, word) && !(input.mappedOnly && isMostlyUnmapped(word)),
  );
  const links = scan.links.filter((link) => intersect(area, link.rect));
  const context = createBlockContext(input, links);

  const drafts = plan.layout.plainText
    ? plainText(words, context)
    : layoutPage({
        words,
        formulas: selectFormulas(scan, words),
        rules: scan.rules,
        width,
        height,
        plan,
        context,
        findRunning: (segments) =>
          findRunningLines(
            segments,
            { width, height, rules: scan.rules, bodySize: context.bodySize },
            input.neighbours,
          ),
      });
  const figures = input.figures.filter((figure) => figure.box && containsCenter(area, toRect(figure.box)));
  for (const figure of figures) {
    if (!figure.isLikelyNoise) insertByPosition(drafts, toFigureDraft(figure));
  }
  const blocks = drafts
    .filter(
      ({ type }) =>
        !(type === 'header' && plan.layout.hideHeaders) && !(type === 'footer' && plan.layout.hideFooters),
    )
    .map((draft) => toBlock(draft, buildBoxes(draft, plan.layout)));
  leaveOutRunningLines(blocks, plan.layout, index === 0);
  const printed = plan.layout.printedPageNumber ? findPageNumber(drafts) : undefined;
  const page: Page = {
    index,
    label: input.label ?? printed ?? String(index + 1),
    width: round(width),
    height: round(height),
    text: keepsAlignment(plan.layout, words) ? layoutText(words) : joinBlocks(blocks, 'text'),
    markdown: joinBlocks(blocks, 'markdown'),
    blocks,
    words: words.map(toWord),
    links: links.map((link) => toLink(link, words)),
    figures,
  };
  if (hasMargins(plan.pages.margins)) page.area = toBox(area);
  const drawings = findDrawings(scan, blocks).flatMap((drawing) => intersect(area, drawing) ?? []);
  if (drawings.length > 0) page.drawings = drawings.map(toBox);
  if (hasTextOnlyInPictures(scan, readable)) page.needsOcr = true;
  addGlyphCounts(page, scan, area);
  return page;
}

/**
 * Minimum number of lines of a letterhead. The first page of a letter or invoice shows the sender, the bank account
 * and the register there, which no other place of the document contains.
 */
const LETTERHEAD_LINES = 4;

/**
 * Empties the Markdown of running headers and footers, unless the plan asks for them. Their text remains in the
 * blocks. A page without other text keeps them, and the first page keeps a letterhead.
 */
function leaveOutRunningLines(blocks: readonly Block[], plan: LayoutPlan, isFirst: boolean): void {
  const isRunning = ({ type }: Block) => type === 'header' || type === 'footer';
  if (blocks.every((block) => isRunning(block) || block.type === 'figure')) return;
  for (const type of ['header', 'footer'] as const) {
    if (type === 'header' ? plan.headersInMarkdown : plan.footersInMarkdown) continue;
    const running = blocks.filter((block) => block.type === type);
    if (isFirst && running.length >= LETTERHEAD_LINES) continue;
    for (const block of running) block.markdown = '';
  }
}

/** Returns the formulas whose words all belong to the page. */
function selectFormulas({ formulas }: PageScan, words: readonly TextWord[]): Formula[] {
  if (formulas.length === 0) return [];
  const present = new Set(words);
  return formulas.filter((formula) => formula.words.every((word) => present.has(word)));
}

const isMostlyUnmapped = ({ text, unmapped = 0 }: TextWord) => unmapped * 2 > text.length;

/** Adds the counts of drawn characters. Marks the page for OCR if too many of them have no Unicode value. */
function addGlyphCounts(page: Page, scan: PageScan, area: Rect): void {
  const isOnPage = createDrawnFilter(scan);
  const isDrawn: typeof isOnPage = (part) => isOnPage(part) && containsCenter(area, part);
  const glyphs = countGlyphs(scan.words, scan.unmapped, isDrawn);
  page.glyphs = glyphs;
  if (glyphs.withoutUnicode === 0) return;
  const { drawn, withoutUnicode } = glyphs;
  const message = `The fonts of the page define no Unicode value for ${withoutUnicode} of its ${drawn} characters.`;
  page.omissions = [{ kind: 'characters_without_unicode', message }];
  if (!lacksText(glyphs)) return;
  page.needsOcr = true;
  page.unmapped = scan.unmapped.filter(isDrawn).slice(0, MAX_UNMAPPED_BOXES).map(toBox);
}

const round = (value: number) => Math.round(value * 100) / 100;
const toRect = ({ x, y, w, h }: { x: number; y: number; w: number; h: number }) => ({
  x0: x,
  y0: y,
  x1: x + w,
  y1: y + h,
});

function createBlockContext(
  { index, outline, body, headingStyles, plan, vocabulary }: PageInput,
  links: readonly LinkArea[],
): BlockContext {
  return {
    bodySize: body.size,
    fontSizePerSize: 1,
    pageNumber: index + 1,
    headingStyles,
    bodyIsMonospace: body.monospace,
    outline,
    vocabulary,
    tables: plan.tables,
    aggressiveTables: plan.tables.aggressive,
    findLinkUrl: (word) =>
      plan.layout.links ? links.find((link) => containsCenter(link.rect, word))?.url : undefined,
  };
}

function toFigureDraft(figure: Figure): Draft {
  return { ...toRect(figure.box!), type: 'figure', text: '', markdown: `![${figure.name}](${figure.name})` };
}

function joinBlocks(blocks: readonly Block[], part: 'text' | 'markdown'): string {
  return blocks
    .map((block) => block[part])
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * Returns whether the alignment of words is preserved. Columns of vertical text do not fit into a grid of
 * lines.
 */
const keepsAlignment = (plan: LayoutPlan, words: readonly TextWord[]) =>
  plan.keepAlignment && !words.some((word) => word.vertical);

function layoutText(words: readonly TextWord[]): string {
  const upright = words.filter((word) => word.turns === 0);
  return renderAlignedText(upright, (line) => padToColumns(line, 0, LAYOUT_PITCH));
}

function findPageNumber(drafts: readonly Draft[]): string | undefined {
  for (const draft of drafts) {
    if (draft.type !== 'header' && draft.type !== 'footer') continue;
    const number = parsePageNumber(draft.text);
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
 * Returns the words of a page line by line from top to bottom, without detecting columns, tables, headings or
 * margins.
 */
function plainText(words: readonly TextWord[], context: BlockContext): Draft[] {
  const paragraphs: Line[][] = [];
  for (const line of joinIntoLines(splitIntoSegments(words))) {
    const last = paragraphs.at(-1);
    const above = last?.at(-1);
    if (last && above && line.y0 - above.y1 <= PARAGRAPH_GAP * line.size) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs.map((lines) => {
    const text = joinLines(lines, context.vocabulary);
    return { ...union(lines), type: 'paragraph', text, markdown: text };
  });
}

/** Returns a function that tells whether a word or glyph is on the page and not painted white on white. */
function createDrawnFilter({
  images,
  backdrops,
  frame,
}: PageScan): (part: Rect & { white: boolean }) => boolean {
  const page = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  const backgrounds = [...backdrops, ...images.map(({ box }) => box)];
  return (part) =>
    containsCenter(page, part) && !(part.white && !backgrounds.some((rect) => containsCenter(rect, part)));
}

/**
 * Returns a function that tells whether the plan includes a word. Hidden words are painted invisibly, or
 * white without a backdrop.
 */
function createWordFilter(plan: LayoutPlan, { images, backdrops }: PageScan): (word: TextWord) => boolean {
  const backgrounds = [...backdrops, ...images.map(({ box }) => box)];
  const isHidden = (word: TextWord) =>
    word.hidden || (word.white && !backgrounds.some((rect) => containsCenter(rect, word)));
  return (word) =>
    (plan.keepSmallText || word.size >= MIN_READABLE_SIZE) &&
    !(plan.removeHidden && isHidden(word)) &&
    !(plan.skipDiagonal && word.turns === undefined);
}

/** Returns the bounding boxes of a block and its lines, if the plan asks for them. */
function buildBoxes(draft: Draft, plan: LayoutPlan): Pick<Block, 'box' | 'lines'> {
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
