import type { Block, Figure, Link, Page, Word } from '#src/documents/document.ts';
import type { LayoutPlan, ParsePlan } from '#src/parse/plan.ts';
import { isCut, readingArea } from '#src/parse/reading-area.ts';
import { drawingsOf } from './drawing/drawings.ts';
import type { Rect } from './geometry.ts';
import { containsCenter, intersect, toBox } from './geometry.ts';
import { drawnFilter, wordFilter } from './options.ts';
import type { LinkArea, PageScan } from './scan.ts';
import { boxesOf, wordBox } from './text/block-boxes.ts';
import type { BlockContext, Draft } from './text/blocks.ts';
import { spaced, toBlock } from './text/blocks.ts';
import { alignedText, insertByPosition, layoutPage } from './text/layout.ts';
import { joinWords } from './text/lines.ts';
import { plainText } from './text/plain-text.ts';
import type { EdgeLine } from './text/running.ts';
import { printedNumber, runningLines } from './text/running.ts';
import { accountForGlyphs, lacksText } from './text/text-account.ts';
import type { TextWord } from './text/words.ts';
import { isUnread } from './unread.ts';

/** Letters of layout-preserving text stand this many points apart, on every page alike. */
const LAYOUT_PITCH = 4.8;
/** Letters of what may be a word; more is a run of something else. */
const LONGEST_WORD = 200;
/** A dense page has about ten thousand characters. */
const MAX_UNMAPPED_BOXES = 20_000;

export interface PageInput {
  index: number;
  /** The label the document gives the page. */
  label: string | undefined;
  scan: PageScan;
  neighbours: readonly (readonly EdgeLine[])[];
  outline: ReadonlyMap<string, number>;
  figures: Figure[];
  body: { size: number; monospace: boolean };
  plan: ParsePlan;
  /** Leaves out the words whose letters have no Unicode value. */
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

/** Counts what the page draws, and marks a page whose text layer lacks more than a small share of its characters. */
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

/** Columns of vertical writing have no places in a grid of lines. */
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
