import type { Browser } from 'playwright-core';
import { type Choice, createChoice } from './choice.ts';
import type { Grid } from './score.ts';

export interface DrawnTables {
  kind: string;
  bytes: Uint8Array;
  tables: Grid[];
}

interface Cell {
  text: string;
  across?: number;
  down?: number;
  number?: boolean;
}

interface Drawing {
  /**
   * Rows of cells as in HTML, without cells that are covered by a span. The first `headers` rows are the
   * head.
   */
  rows: Cell[][];
  headers: number;
  style: string;
}

const NAMES =
  'pump valve harbour meadow copper ledger bridge winter signal garden engine river anchor ticket parcel window'.split(
    ' ',
  );
const HEADS =
  'Item Region Year Amount Share Status Owner Code Weight Price Change Total Branch Date Grade Stock'.split(
    ' ',
  );
const GREEK = 'αντλία λιμάνι χαλκός γέφυρα χειμώνας κήπος ποτάμι άγκυρα παράθυρο βαλβίδα'.split(' ');
const CYRILLIC = 'насос гавань медь мост зима сад река якорь окно клапан'.split(' ');
const PROSE =
  'The figures of this report were gathered by the branches and checked by the office before they were printed. Where a branch sent nothing, the place was left empty. Readers who miss a figure may ask for it in writing, and it is added to the next edition.';

const RULED = 'td,th{border:1px solid #000}';
const LINES = 'tr{border-bottom:1px solid #444}';
const HEAD_LINES =
  'thead{border-top:1.5px solid #000;border-bottom:1px solid #000} tbody{border-bottom:1.5px solid #000}';
const ZEBRA = 'tbody tr:nth-child(odd){background:#e8ecf4} thead{background:#cdd6e8}';
const BARE = '';

/** Kinds of tables that are measured, each with a function that draws random tables of this kind. */
const KINDS: Record<string, (choice: Choice) => Drawing[]> = {
  ruled: (choice) => [drawPlain(choice, RULED)],
  'lines between rows': (choice) => [drawPlain(choice, LINES)],
  'lines at the head': (choice) => [drawPlain(choice, HEAD_LINES)],
  shaded: (choice) => [drawPlain(choice, ZEBRA)],
  unruled: (choice) => [drawPlain(choice, BARE)],
  'right-aligned numbers': (choice) => [
    drawPlain(choice, `${choice.of([HEAD_LINES, BARE, LINES])} .n{text-align:right}`, { numbers: 1 }),
  ],
  'wide gaps': (choice) => [drawPlain(choice, `${choice.of([BARE, HEAD_LINES])} table{width:100%}`)],
  'empty cells': (choice) => [drawPlain(choice, choice.of([RULED, HEAD_LINES, BARE]), { empty: 0.25 })],
  'lines in cells': (choice) => [
    drawPlain(choice, `${choice.of([RULED, LINES])} td:not(.n){max-width:90px}`, { long: true }),
  ],
  'lines in cells, unruled': (choice) => [
    drawPlain(choice, 'td:not(.n){max-width:90px} td{padding-bottom:9px}', { long: true }),
  ],
  'spans, ruled': (choice) => [drawSpanning(choice, RULED)],
  'spans, unruled': (choice) => [drawSpanning(choice, choice.of([HEAD_LINES, BARE]))],
  'two on a page': (choice) => [
    drawPlain(choice, choice.of([RULED, BARE])),
    drawPlain(choice, choice.of([RULED, HEAD_LINES])),
  ],
  'Greek and Cyrillic': (choice) => [
    drawPlain(choice, choice.of([RULED, HEAD_LINES, BARE]), { names: choice.of([GREEK, CYRILLIC]) }),
  ],
  'over pages': (choice) => [
    drawPlain(choice, choice.of([RULED, LINES, BARE]), { rows: choice.between(60, 90) }),
  ],
};

interface TableOptions {
  rows?: number;
  /** Share of the columns that contain numbers. */
  numbers?: number;
  empty?: number;
  long?: boolean;
  names?: string[];
}

function drawPlain(choice: Choice, style: string, options: TableOptions = {}): Drawing {
  const columns = choice.between(3, 5);
  const names = options.names ?? NAMES;
  const kinds = Array.from({ length: columns }, (_, at) =>
    at > 0 && choice.next() < (options.numbers ?? 0.6)
      ? choice.of(['amount', 'share', 'count', 'date'])
      : 'name',
  );
  const heads = options.names
    ? selectDistinct(choice, names, columns)
    : selectDistinct(choice, HEADS, columns);
  const rows: Cell[][] = [heads.map((text) => ({ text }))];
  const count = options.rows ?? choice.between(3, 14);
  for (let row = 0; row < count; row++) {
    rows.push(
      kinds.map((kind, at) => {
        if (at > 0 && choice.next() < (options.empty ?? 0)) return { text: '' };
        if (kind !== 'name') return { text: drawFigure(choice, kind), number: true };
        const words = options.long ? choice.between(2, 7) : choice.between(1, 3);
        return { text: Array.from({ length: words }, () => choice.of(names)).join(' ') };
      }),
    );
  }
  // Cells have several lines only if `long` is set. The other cells of the row are then aligned at the top or
  // in the middle.
  const lines = options.long
    ? `td{vertical-align:${choice.of(['top', 'middle'])}} .n{white-space:nowrap}`
    : 'td,th{white-space:nowrap}';
  return { rows, headers: 1, style: `${style} ${lines}` };
}

/** Draws a table with groups of columns under a common heading and groups of rows beside a common name. */
function drawSpanning(choice: Choice, style: string): Drawing {
  const groups = 2;
  const years = selectDistinct(choice, HEADS, 2);
  const head: Cell[] = [
    { text: choice.of(HEADS), down: 2 },
    { text: 'Kind', down: 2 },
  ];
  for (const name of selectDistinct(choice, NAMES, groups)) head.push({ text: name, across: 2 });
  const second = Array.from({ length: groups }, () => years.map((text) => ({ text }))).flat();
  const rows: Cell[][] = [head, second];
  for (const name of selectDistinct(choice, NAMES, choice.between(2, 4))) {
    const down = choice.between(2, 3);
    for (let row = 0; row < down; row++) {
      const figures = Array.from({ length: 2 * groups }, () => ({
        text: drawFigure(choice, 'amount'),
        number: true,
      }));
      rows.push([...(row === 0 ? [{ text: name, down }] : []), { text: choice.of(NAMES) }, ...figures]);
    }
  }
  return { rows, headers: 2, style: `${style} td{vertical-align:top} td,th{white-space:nowrap}` };
}

function drawFigure(choice: Choice, kind: string): string {
  if (kind === 'share') return `${choice.between(0, 99)}.${choice.between(0, 9)} %`;
  if (kind === 'count') return String(choice.between(1, 9_999));
  if (kind === 'date')
    return `${choice.between(2001, 2025)}-${choice.between(10, 12)}-${choice.between(10, 28)}`;
  const amount = `${choice.between(1, 999)},${choice.between(100, 999)}.${choice.between(10, 99)}`;
  return choice.of([amount, `$ ${amount}`, `(${amount})`, '–']);
}

function selectDistinct(choice: Choice, texts: readonly string[], count: number): string[] {
  const left = [...texts];
  return Array.from({ length: count }, () => left.splice(choice.between(0, left.length - 1), 1)[0]!);
}

/** Returns the true cells of the table. */
function toGrid({ rows }: Drawing): Grid {
  const grid: Grid = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const { text, across = 1, down = 1 } of row) {
      while (grid[y]![x] !== undefined) x++;
      for (let below = 0; below < down; below++) {
        for (let right = 0; right < across; right++) grid[y + below]![x + right] = '';
      }
      grid[y]![x] = text;
    }
  }
  return grid;
}

function toHtml({ rows, headers }: Drawing, id: number): string {
  const write = (some: Cell[][], tag: string) =>
    some.map((row) => `<tr>${row.map((cell) => cellHtml(cell, tag)).join('')}</tr>`).join('');
  return `<div id="t${id}"><table><thead>${write(rows.slice(0, headers), 'th')}</thead><tbody>${write(rows.slice(headers), 'td')}</tbody></table></div>`;
}

const cellHtml = ({ text, across = 1, down = 1, number }: Cell, tag: string) =>
  `<${tag} colspan="${across}" rowspan="${down}"${number ? ' class="n"' : ''}>${text}</${tag}>`;

/** Document with tables, as HTML. */
export interface WrittenTables {
  kind: string;
  html: string;
  tables: Grid[];
}

/** Writes `count` documents of each kind as HTML, with random choices from `seed`. */
export function* writeTables(seed: number, count: number): Generator<WrittenTables> {
  for (const [kind, draw] of Object.entries(KINDS)) {
    for (let number = 0; number < count; number++) {
      const choice = createChoice(`${seed} ${kind} ${number}`);
      const drawings = draw(choice);
      const look = `body{font:${choice.between(9, 12)}px ${choice.of(['DejaVu Serif, serif', 'DejaVu Sans, sans-serif'])}}
        table{border-collapse:collapse;margin:14px 0} tr{break-inside:avoid} th{text-align:${choice.of(['left', 'center'])};font-weight:${choice.of(['bold', 'normal'])}}
        td,th{padding:${choice.between(2, 5)}px ${choice.between(7, 14)}px}`;
      const styles = drawings.map((drawing, id) => `#t${id}{${drawing.style}}`).join('\n');
      const body = drawings.map((drawing, id) => `${toHtml(drawing, id)}<p>${PROSE}</p>`).join('');
      const html = `<style>${look}${styles}</style><h1>Report ${number + 1}</h1><p>${PROSE}</p>${body}`;
      yield { kind, html, tables: drawings.map(toGrid) };
    }
  }
}

/** Draws `count` documents of each kind to PDF, with random choices from `seed`. */
export async function* drawTables(
  browser: Browser,
  seed: number,
  count: number,
): AsyncGenerator<DrawnTables> {
  const page = await browser.newPage();
  for (const { kind, html, tables } of writeTables(seed, count)) {
    await page.setContent(html);
    const bytes = await page.pdf({
      format: 'A4',
      margin: { top: '50px', bottom: '50px', left: '50px', right: '50px' },
    });
    yield { kind, bytes: new Uint8Array(bytes), tables };
  }
  await page.close();
}
