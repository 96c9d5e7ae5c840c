import { smallest } from '#src/lib/extremes.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { containsCenter, overlapX, overlapY, type Rect, turn, union } from '../geometry.ts';
import { alignedTables } from '../tables/aligned-tables.ts';
import { bandedTables } from '../tables/banded-tables.ts';
import { ruledTables, type Table } from '../tables/tables.ts';
import { type BlockContext, blocksOf, type Draft, joinLines, tableDraft } from './blocks.ts';
import { type Island, isIsland, type Piece, readingOrder } from './columns.ts';
import { type Line, linesOf, segmentsOf, toLine } from './lines.ts';
import type { TextWord } from './words.ts';

const lettersOf = (drafts: readonly Draft[]) => drafts.reduce((sum, { text }) => sum + text.length, 0);

export interface LayoutInput {
  words: readonly TextWord[];
  rules: readonly Rect[];
  width: number;
  height: number;
  plan: ParsePlan;
  context: BlockContext;
  /** Which lines belong to the margins of the document's pages. */
  running(segments: readonly Line[]): ReadonlySet<Line>;
}

/** Columns of vertical writing run as text turned three times: down, the next one to the left. */
const VERTICAL = 3;

type TableIsland = Island & { draft: Draft };

/**
 * The blocks of a page in reading order: the text that most words belong to, then text that runs another way. Among
 * columns of vertical writing, upright text is a heading, a caption or the page's margin, and has its place there.
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
      for (const each of layoutUpright(input, group)) drafts.push(each);
      continue;
    }
    // Text along the edge is often large; it heads nothing.
    const context = { ...input.context, bodySize: Number.POSITIVE_INFINITY };
    const own = turns === main[0]![0] && vertical.length === 0 ? input : { ...input, context };
    for (const each of layoutTurned(own, group, turns)) drafts.push(each);
  }
  const diagonal = byTurns.get(-1);
  if (diagonal) {
    const text = diagonal.map((word, index) => (index > 0 && word.spaced ? ' ' : '') + word.text).join('');
    drafts.push({ ...union(diagonal), type: 'paragraph', text, markdown: text });
  }
  return vertical.length === 0 ? drafts : inOneOrder(layoutTurned(input, vertical, VERTICAL), drafts);
}

/** Lays text out that runs `turns` quarter turns counter-clockwise, as if the page were turned back. */
function layoutTurned(input: LayoutInput, words: readonly TextWord[], turns: number): Draft[] {
  const { width, height } = input;
  const sideways = turns % 2 === 1;
  const inner = {
    ...input,
    rules: input.rules.map((rule) => turn(rule, turns, width, height)),
    width: sideways ? height : width,
    height: sideways ? width : height,
    running: () => new Set<Line>(),
  };
  const turned = words.map((word) => ({ ...word, ...turn(word, turns, width, height) }));
  const back = (4 - turns) % 4;
  return layoutUpright(inner, turned).map((draft) => ({
    ...draft,
    ...turn(draft, back, inner.width, inner.height),
    ...(draft.lines && {
      lines: draft.lines.map((line) => ({ ...line, ...turn(line, back, inner.width, inner.height) })),
    }),
  }));
}

function layoutUpright(input: LayoutInput, words: readonly TextWord[]): Draft[] {
  const { context, plan } = input;
  const tables = drawnTables(input, words);
  const free =
    tables.length === 0
      ? words
      : words.filter((word) => !tables.some((table) => containsCenter(table, word)));
  const { headers, footers, body } = splitRunning(input, segmentsOf(free));
  const islands: TableIsland[] = tables.map((table) => {
    const { x0, y0, x1, y1 } = table;
    return { island: true, x0, y0, x1, y1, draft: tableDraft(table, context) };
  });
  const pieces: Piece[] = [...body, ...islands];
  const runs = plan.layout.ignoreColumns ? [pieces] : readingOrder(pieces);
  return [
    ...headers.map((line) => marginDraft('header', line, context)),
    ...runs.flatMap((run) => layoutRun(run, input.rules, context)),
    ...footers.map((line) => marginDraft('footer', line, context)),
  ];
}

/** Tables with lines. The cells of a table in bands may have outlines that touch in some of its rows only. */
function drawnTables({ rules, plan }: LayoutInput, words: readonly TextWord[]): Table[] {
  const ruled = ruledTables(rules, words, plan.tables.outlined);
  const banded = bandedTables(rules, words).filter((table) => {
    const within = ruled.filter((other) => overlapX(table, other) > 0 && overlapY(table, other) > 0);
    return within.every(
      (other) =>
        containsCenter(table, other) &&
        other.rows.length < table.rows.length &&
        within.length * 2 < table.rows.length,
    );
  });
  const isBanded = (table: Table) =>
    banded.some((other) => overlapX(table, other) > 0 && overlapY(table, other) > 0);
  return [...ruled.filter((table) => !isBanded(table)), ...banded];
}

function marginDraft(type: 'header' | 'footer', line: Line, context: BlockContext): Draft {
  const text = joinLines([line], context);
  const { x0, y0, x1, y1 } = line;
  return { x0, y0, x1, y1, lines: [line], type, text, markdown: text };
}

function splitRunning({ running: find, height }: LayoutInput, segments: readonly Line[]) {
  const running = find(segments);
  const margin = linesOf([...running]);
  return {
    headers: margin.filter((line) => line.y1 < height / 2),
    footers: margin.filter((line) => line.y1 >= height / 2),
    body: segments.filter((segment) => !running.has(segment)),
  };
}

/** One column: tables among its lines, blocks between the tables. */
function layoutRun(run: readonly Piece[], rules: readonly Rect[], context: BlockContext): Draft[] {
  const segments = run.filter((piece): piece is Line => !isIsland(piece));
  const tables: Draft[] = run.filter(isIsland).map((island) => (island as TableIsland).draft);
  const inTable = new Set<number>();
  for (const { table, used } of alignedTables(segments, rules, context)) {
    tables.push(tableDraft(table, context));
    for (const row of used) inTable.add(row);
  }
  const lines = linesOf(segments.filter((segment) => !inTable.has(segment.row)));
  const drafts: Draft[] = [];
  let open: Line[] = [];
  const flush = () => {
    for (const each of blocksOf(open, context)) drafts.push(each);
    open = [];
  };
  const waiting = tables.toSorted((a, b) => a.y0 - b.y0);
  for (const line of lines) {
    while (waiting[0] && waiting[0].y0 < (line.y0 + line.y1) / 2) {
      flush();
      drafts.push(waiting.shift()!);
    }
    // Beside a table, a line's pieces are apart; across from it they belong to one sentence.
    open.push(line);
  }
  flush();
  return [...drafts, ...waiting];
}

/** All words at the places where they stand on the page, in a grid of equal letters. */
export function alignedText(
  words: readonly TextWord[],
  place: (words: readonly TextWord[]) => string,
): string {
  const lines = linesOf(segmentsOf(words)).map((line) => toLine(line.words, line.row));
  const result: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const blank = before ? Math.min(3, Math.round((line.y1 - before.y1) / (1.25 * line.size)) - 1) : 0;
    for (let count = 0; count < blank; count++) result.push('');
    result.push(place(line.words.toSorted((a, b) => a.x0 - b.x0)));
  }
  return result.join('\n');
}

/** Puts a picture after the last block above it in its column. */
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
 * Blocks of upright lines and of columns in one order. The mode that most of the text has gives it; a block of the
 * other comes before the first one that stands below it, as a heading does, or after everything.
 */
function inOneOrder(columns: readonly Draft[], lines: readonly Draft[]): Draft[] {
  const [most, others] = lettersOf(columns) >= lettersOf(lines) ? [columns, lines] : [lines, columns];
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
