import { smallest } from '#src/lib/extremes.ts';
import type { LayoutPlan, ParsePlan } from '#src/parse/plan.ts';
import { containsCenter, overlapX, overlapY, type Rect, rotateRect, union } from '../geometry.ts';
import type { Formula } from '../math/formulas.ts';
import { findAlignedTables } from '../tables/aligned-tables.ts';
import { findDrawnTables } from '../tables/drawn-tables.ts';
import type { Table } from '../tables/tables.ts';
import { type BlockContext, type Draft, groupIntoBlocks, toTableDraft } from './blocks.ts';
import { sortByColumns } from './columns/columns.ts';
import { isNonText, type NonTextBlock, type Piece } from './columns/pieces.ts';
import { escapeMarkdown } from './escape-markdown.ts';
import { linkFootnotes } from './footnotes.ts';
import { joinDividedParagraphs, joinLines } from './join-lines.ts';
import { joinIntoLines, type Line, splitIntoSegments, toLine } from './lines.ts';
import { isProsePage } from './running/lone-running.ts';
import type { TextWord } from './words.ts';

const countLetters = (drafts: readonly Draft[]) => drafts.reduce((sum, { text }) => sum + text.length, 0);

export interface LayoutInput {
  words: readonly TextWord[];
  /** Displayed formulas, whose words are part of `words`. */
  formulas: readonly Formula[];
  rules: readonly Rect[];
  /** Tables with words of several columns, whose words are part of `words`. If absent, they are found by lines. */
  tables?: readonly Table[];
  /** Returns false if the text of aligned words is no table. If absent, all of them are tables. */
  isTable?(table: Table): boolean;
  width: number;
  height: number;
  plan: { tables: Pick<ParsePlan['tables'], 'outlined'>; layout: Pick<LayoutPlan, 'ignoreColumns'> };
  context: BlockContext;
  /** Returns the lines that are running headers, running footers or page numbers. */
  findRunning(segments: readonly Line[]): ReadonlySet<Line>;
}

/**
 * Writing direction of vertical columns in quarter turns, which is also the direction of text turned three
 * times.
 */
const VERTICAL = 3;

/** Maximum number of words of a stamp in the margin, as a share of the upright words. */
const MAX_STAMP_SHARE = 0.15;
/** Share of the page width at the left and right in which stamps stand. */
const MARGIN = 0.12;

type DraftBlock = NonTextBlock & { draft: Draft };

/**
 * Returns the blocks of a page in reading order. Text in the direction of most words comes first, and text in
 * other directions follows. Upright text among vertical columns, such as a heading or caption, is inserted
 * where it stands.
 */
export function layoutPage(input: LayoutInput): Draft[] {
  const { words } = input;
  const vertical = words.filter((word) => word.vertical);
  const byTurns = Map.groupBy(
    words.filter((word) => !word.vertical),
    (word) => word.turns ?? -1,
  );
  const drafts: Draft[] = [];
  const main = [...byTurns].filter(([turns]) => turns >= 0).toSorted((a, b) => b[1].length - a[1].length);
  for (const [turns, group] of main) {
    if (turns === 0) {
      for (const each of layOutUpright(input, group)) drafts.push(each);
      continue;
    }
    // Text along the edge of the page is often large but is not a heading.
    // Labels of footnotes are unique on a page, so only the main text has them.
    const context = { ...input.context, bodySize: Number.POSITIVE_INFINITY, pageNumber: undefined };
    const own = turns === main[0]![0] && vertical.length === 0 ? input : { ...input, context };
    if (main[0]![0] === 0 && isMarginStamp(input, group, main[0]![1])) {
      drafts.unshift(buildStampDraft(own, group, turns));
      continue;
    }
    for (const each of layOutRotated(own, group, turns)) drafts.push(each);
  }
  const diagonal = byTurns.get(-1);
  if (diagonal) {
    const text = diagonal.map((word, index) => (index > 0 && word.spaced ? ' ' : '') + word.text).join('');
    drafts.push({ ...union(diagonal), type: 'paragraph', text, markdown: text });
  }
  return vertical.length === 0 ? drafts : mergeInOrder(layOutRotated(input, vertical, VERTICAL), drafts);
}

/**
 * Returns whether rotated text is a stamp in the margin of a page with prose, such as the number of a preprint
 * or the name of a library.
 */
function isMarginStamp(
  { width }: LayoutInput,
  words: readonly TextWord[],
  upright: readonly TextWord[],
): boolean {
  if (words.length > MAX_STAMP_SHARE * upright.length) return false;
  const [stamp, text] = [union(words), union(upright)];
  const isLeft = stamp.x1 < MARGIN * width && stamp.x1 <= text.x0;
  const isRight = stamp.x0 > (1 - MARGIN) * width && stamp.x0 >= text.x1;
  if (!isLeft && !isRight) return false;
  return isProsePage(splitIntoSegments(upright));
}

function buildStampDraft(input: LayoutInput, words: readonly TextWord[], turns: number): Draft {
  const drafts = layOutRotated(input, words, turns);
  const text = drafts.map((draft) => draft.text).join(' ');
  return { ...union(drafts), type: 'header', text, markdown: text };
}

/**
 * Lays out text that is rotated by `turns` counter-clockwise quarter turns. The page is rotated back, and the
 * blocks are mapped to their original positions.
 */
function layOutRotated(input: LayoutInput, words: readonly TextWord[], turns: number): Draft[] {
  const { width, height } = input;
  const sideways = turns % 2 === 1;
  const inner = {
    ...input,
    formulas: [],
    rules: input.rules.map((rule) => rotateRect(rule, turns, width, height)),
    width: sideways ? height : width,
    height: sideways ? width : height,
    findRunning: () => new Set<Line>(),
  };
  const turned = words.map((word) => ({ ...word, ...rotateRect(word, turns, width, height) }));
  const back = (4 - turns) % 4;
  return layOutUpright(inner, turned).map((draft) => ({
    ...draft,
    ...rotateRect(draft, back, inner.width, inner.height),
    ...(draft.lines && {
      lines: draft.lines.map((line) => ({ ...line, ...rotateRect(line, back, inner.width, inner.height) })),
    }),
  }));
}

function layOutUpright(input: LayoutInput, words: readonly TextWord[]): Draft[] {
  const { context, plan } = input;
  const tables = input.tables ?? findDrawnTables(input.rules, words, plan.tables.outlined);
  const free =
    tables.length === 0
      ? words
      : words.filter((word) => !tables.some((table) => containsCenter(table, word)));
  const formulas = input.formulas.filter(
    (formula) => !tables.some((table) => overlapX(table, formula) > 0 && overlapY(table, formula) > 0),
  );
  const inFormula = new Set(formulas.flatMap((formula) => formula.words));
  const prose = inFormula.size === 0 ? free : free.filter((word) => !inFormula.has(word));
  const { headers, footers, body } = separateRunningLines(input, splitIntoSegments(prose));
  const apart = [
    ...tables.map((table) => toTableDraft(table, context)),
    ...formulas.map((formula) => toFormulaDraft(formula, context)),
  ];
  const blocks: DraftBlock[] = apart.map((draft) => {
    const { x0, y0, x1, y1 } = draft;
    return { isNonTextBlock: true, x0, y0, x1, y1, draft };
  });
  const pieces: Piece[] = [...body, ...blocks];
  const runs = plan.layout.ignoreColumns ? [pieces] : sortByColumns(pieces);
  const blocksInOrder = runs.flatMap((run) => layOutColumn(run, input));
  const { bodySize, pageNumber } = context;
  const drafts =
    pageNumber === undefined ? blocksInOrder : linkFootnotes(blocksInOrder, bodySize, pageNumber);
  joinDividedParagraphs(drafts, context.vocabulary);
  return [
    ...headers.map((line) => buildMarginDraft('header', line, context)),
    ...drafts,
    ...footers.map((line) => buildMarginDraft('footer', line, context)),
  ];
}

/** Converts a formula to a block. Its text keeps the characters as printed, and its Markdown is LaTeX. */
function toFormulaDraft(formula: Formula, context: BlockContext): Draft {
  const { x0, y0, x1, y1, words, label } = formula;
  const lines = joinIntoLines(splitIntoSegments(words));
  const text = joinLines(lines, context.vocabulary);
  const draft = { x0, y0, x1, y1, lines, text, isFormula: true };
  if (formula.lines.length === 0) return { ...draft, type: 'paragraph', markdown: escapeMarkdown(text) };
  if (label !== undefined) {
    const mark = /^\d+[.)]$/.test(label) ? label : '-';
    return {
      ...draft,
      type: 'list',
      markdown: `${mark} ${formula.lines.map((line) => `$${line}$`).join(' ')}`,
    };
  }
  const markdown = formula.lines.map((line) => `$$${line}$$`).join('\n\n');
  return { ...draft, type: 'paragraph', markdown };
}

function buildMarginDraft(type: 'header' | 'footer', line: Line, context: BlockContext): Draft {
  const text = joinLines([line], context.vocabulary);
  const { x0, y0, x1, y1 } = line;
  return { x0, y0, x1, y1, lines: [line], type, text, markdown: text };
}

function separateRunningLines({ findRunning: find, height }: LayoutInput, segments: readonly Line[]) {
  const running = find(segments);
  const margin = joinIntoLines([...running]);
  return {
    headers: margin.filter((line) => line.y1 < height / 2),
    footers: margin.filter((line) => line.y1 >= height / 2),
    body: segments.filter((segment) => !running.has(segment)),
  };
}

/** Lays out one column: the tables in it and the blocks between them. */
function layOutColumn(run: readonly Piece[], input: LayoutInput): Draft[] {
  const { rules, context } = input;
  const segments = run.filter((piece): piece is Line => !isNonText(piece));
  const tables: Draft[] = run.filter(isNonText).map((piece) => (piece as DraftBlock).draft);
  const inTable = new Set<number>();
  for (const { table, used } of findAlignedTables(segments, rules, context)) {
    if (input.isTable?.(table) === false) continue;
    tables.push(toTableDraft(table, context));
    for (const row of used) inTable.add(row);
  }
  const lines = joinIntoLines(segments.filter((segment) => !inTable.has(segment.row)));
  const drafts: Draft[] = [];
  let open: Line[] = [];
  const flush = () => {
    for (const each of groupIntoBlocks(open, context)) drafts.push(each);
    open = [];
  };
  // A high formula may begin beside the last, short line of the text above it.
  const top = (draft: Draft) => (draft.isFormula ? (draft.y0 + draft.y1) / 2 : draft.y0);
  const waiting = tables.toSorted((a, b) => top(a) - top(b));
  for (const line of lines) {
    while (waiting[0] && top(waiting[0]) < (line.y0 + line.y1) / 2) {
      flush();
      drafts.push(waiting.shift()!);
    }
    // All pieces of a row outside tables belong to the same line.
    open.push(line);
  }
  flush();
  return [...drafts, ...waiting];
}

/** Renders all words at their positions on the page. Each letter takes one cell of a grid. */
export function renderAlignedText(
  words: readonly TextWord[],
  renderLine: (words: readonly TextWord[]) => string,
): string {
  const lines = joinIntoLines(splitIntoSegments(words)).map((line) => toLine(line.words, line.row));
  const result: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const blank = before ? Math.min(3, Math.round((line.y1 - before.y1) / (1.25 * line.size)) - 1) : 0;
    for (let count = 0; count < blank; count++) result.push('');
    result.push(renderLine(line.words.toSorted((a, b) => a.x0 - b.x0)));
  }
  return result.join('\n');
}

/** Inserts a picture after the last block above it in the same column. */
export function insertByPosition(drafts: Draft[], added: Draft): void {
  let at = 0;
  for (const [index, draft] of drafts.entries()) {
    if (draft.type === 'footer') continue;
    if (
      draft.type === 'header' ||
      (overlapX(draft, added) > 0 && (draft.y0 + draft.y1) / 2 < (added.y0 + added.y1) / 2)
    )
      at = index + 1;
  }
  drafts.splice(at, 0, added);
}

/**
 * Merges blocks of upright lines and blocks of vertical columns. The direction with more text determines the
 * order. A block in the other direction is placed before the first block below it, as a heading is, or at the
 * end.
 */
function mergeInOrder(columns: readonly Draft[], lines: readonly Draft[]): Draft[] {
  const [most, others] = countLetters(columns) >= countLetters(lines) ? [columns, lines] : [lines, columns];
  const top = smallest(most.map(({ y0 }) => y0));
  const ahead = new Map<Draft | undefined, Draft[]>();
  const headers: Draft[] = [];
  for (const draft of others) {
    if (draft.type === 'header') {
      headers.push(draft);
      continue;
    }
    const middle = (draft.y0 + draft.y1) / 2;
    const isBelow = (other: Draft) => other.y0 >= middle && (overlapX(other, draft) > 0 || middle < top);
    const below = draft.type === 'footer' ? undefined : most.find(isBelow);
    ahead.set(below, [...(ahead.get(below) ?? []), draft]);
  }
  return [
    ...headers,
    ...most.flatMap((draft) => [...(ahead.get(draft) ?? []), draft]),
    ...(ahead.get(undefined) ?? []),
  ];
}
