import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import type { Browser } from 'playwright-core';
import type { Grid } from './score.ts';

/** Files in the packages of office documents that may contain tables, by type. */
const PARTS: Record<string, RegExp> = {
  docx: /^word\/document\.xml$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
  odt: /^content\.xml$/,
  epub: /\.x?html?$/,
};

export const hasTruth = (type: string): boolean => type === 'html' || type in PARTS;

/**
 * Reads the cells of a document's outermost tables in a browser, from its HTML or the XML of its package.
 * Spans come from `rowspan` and `colspan`, `w:gridSpan` and `w:vMerge`, `gridSpan` of `a:tc`, and covered
 * cells of OpenDocument.
 */
export async function readTrueTables(browser: Browser, file: string, type: string): Promise<Grid[]> {
  const bytes = new Uint8Array(readFileSync(file));
  const decode = (part: Uint8Array) => new TextDecoder().decode(part);
  const parts =
    type === 'html'
      ? [decode(bytes)]
      : Object.entries(unzipSync(bytes))
          .filter(([name]) => PARTS[type]!.test(name))
          .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
          .map(([, part]) => decode(part));
  const context = await browser.newContext({ javaScriptEnabled: true, offline: true });
  try {
    const page = await context.newPage();
    const grids: Grid[] = [];
    const markup = type === 'html' || type === 'epub' ? 'text/html' : 'application/xml';
    for (const part of parts) grids.push(...(await page.evaluate(readTables, { part, markup })));
    return grids;
  } finally {
    await context.close();
  }
}

/** Runs in the browser, so it cannot use anything outside of the function. */
function readTables({ part, markup }: { part: string; markup: string }): string[][][] {
  const parsed = new DOMParser().parseFromString(part, markup as DOMParserSupportedType);
  const name = (element: Element) => element.localName;
  const children = (element: Element, wanted: string) =>
    [...element.children].filter((child) => name(child) === wanted);
  const attribute = (element: Element | undefined, wanted: string) =>
    [...(element?.attributes ?? [])].find((each) => each.localName === wanted)?.value;
  const isTable = (element: Element) => ['table', 'tbl'].includes(name(element));
  const breaking = new Set(['p', 'h', 'br', 'div', 'li', 'tab', 'line-break', 's', 'tr', 'td']);
  const unread = new Set(['script', 'style', 'delText', 'instrText', 'annotation', 'tblPr', 'pPr']);
  const readText = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? '';
    if (!(node instanceof Element) || unread.has(name(node))) return '';
    const inner = [...node.childNodes].map(readText).join('');
    return breaking.has(name(node)) ? ` ${inner} ` : inner;
  };
  const listRows = (table: Element): Element[] =>
    [...table.children].flatMap((child) => {
      if (name(child) === 'tr' || name(child) === 'table-row') return [child];
      return /^(?:thead|tbody|tfoot|table-rows|table-header-rows)$/.test(name(child)) ? listRows(child) : [];
    });
  const buildGrid = (table: Element): string[][] => {
    const rows = listRows(table);
    const grid: string[][] = rows.map(() => []);
    for (const [y, row] of rows.entries()) {
      let x = 0;
      for (const cell of row.children) {
        if (!/^(?:td|th|tc|table-cell|covered-table-cell)$/.test(name(cell))) continue;
        const repeated = Number(attribute(cell, 'number-columns-repeated') ?? 1);
        const properties = children(cell, 'tcPr')[0];
        const merge = properties && children(properties, 'vMerge')[0];
        const isContinued = merge && (attribute(merge, 'val') ?? 'continue') === 'continue';
        const span = properties && children(properties, 'gridSpan')[0];
        const across = Number(attribute(cell, 'colspan') ?? attribute(span, 'val') ?? repeated);
        // In slides and OpenDocument, the positions that a span covers are cells of their own.
        const down = Number(attribute(cell, 'rowspan') ?? 1);
        while (grid[y]![x] !== undefined) x++;
        for (let below = 0; below < down && grid[y + below]; below++) {
          for (let right = 0; right < across; right++) grid[y + below]![x + right] ??= '';
        }
        if (!isContinued) grid[y]![x] = readText(cell);
        x += across;
      }
    }
    return grid.map((row) => Array.from(row, (text) => text ?? ''));
  };
  return [...parsed.querySelectorAll('*')]
    .filter(isTable)
    .filter((table) => {
      for (let above = table.parentElement; above; above = above.parentElement)
        if (isTable(above)) return false;
      return true;
    })
    .map(buildGrid);
}
