import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CORPORA } from '#bench/corpora.ts';
import { launch } from '../../../console/test/support/chromium.ts';
import type { Read } from '../peers/worker.ts';
import { drawTables } from './drawn.ts';
import { cleanGrid, computeAdjacencyF1, type Grid, isTable, type Score, scoreTables } from './score.ts';
import { hasTruth, readTrueTables } from './truth.ts';

type Ask = (engine: string, name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<Read | string>;

/** Number of documents drawn for each kind. */
const DRAWN = 8;
const ENGINES = ['ours', 'unpdf', 'pdfium'];

/**
 * Prints how well tables are read: tables drawn to PDF from known cells, and tables in the other formats of
 * the corpora.
 */
export async function compareTables(
  ask: Ask,
  items: readonly { file: string; type: string; expect_error?: string }[],
  seed: number,
): Promise<void> {
  const browser = await launch();
  try {
    await compareDrawn(ask, browser, seed);
    await compareFiles(ask, browser, items);
  } finally {
    await browser.close();
  }
}

async function compareDrawn(ask: Ask, browser: Browser, seed: number): Promise<void> {
  const kinds = new Map<string, Map<string, Score[]>>();
  for await (const { kind, bytes, tables } of drawTables(browser, seed, DRAWN)) {
    const engines = kinds.get(kind) ?? new Map(ENGINES.map((engine) => [engine, []]));
    kinds.set(kind, engines);
    for (const [engine, scores] of engines) {
      const read = await ask(engine, 'drawn.pdf', new Uint8Array(bytes));
      if (typeof read === 'string') throw new Error(`${engine}: ${read}`);
      scores.push(scoreTables(joinTablesOverPages(read.tables), tables.map(cleanGrid)));
    }
  }
  const all = ENGINES.map((engine): [string, Score[]] => [
    engine,
    [...kinds.values()].flatMap((engines) => engines.get(engine) ?? []),
  ]);
  kinds.set('all', new Map(all));
  console.table(
    [...kinds].map(([kind, engines]) => ({
      [`tables drawn, seed ${seed}`]: kind,
      ...Object.fromEntries([...engines].map(([engine, scores]) => [engine, formatFigures(scores)])),
    })),
  );
  console.log(
    'TEDS (mean of the true tables), F1 of adjacency relations, and number of additional tables. unpdf: pdf.js\n' +
      'text, rows by lines, cells by gaps. pdfium: plain text, rows by lines, cells by blanks.\n',
  );
}

async function compareFiles(
  ask: Ask,
  browser: Browser,
  items: readonly { file: string; type: string; expect_error?: string }[],
): Promise<void> {
  const rows: Record<string, string | number>[] = [];
  for (const { file, type } of items.filter((item) => hasTruth(item.type) && !item.expect_error)) {
    const path = join(CORPORA, file);
    const expected = (await readTrueTables(browser, path, type)).map(cleanGrid).filter(isTable);
    const read = await ask('ours', file, new Uint8Array(readFileSync(path)));
    if (typeof read === 'string') continue;
    const found = read.tables.flat().map(cleanGrid).filter(isTable);
    if (expected.length === 0 && found.length === 0) continue;
    rows.push({ file, tables: expected.length, ours: formatFigures([scoreTables(found, expected)]) });
  }
  if (rows.length > 0) console.table(rows.map((row) => ({ ...row, file: String(row.file).slice(-50) })));
}

function formatFigures(scores: readonly Score[]): string {
  const teds = scores.flatMap((score) => score.teds);
  const mean = teds.reduce((sum, value) => sum + value, 0) / Math.max(1, teds.length);
  const surplus = scores.reduce((sum, score) => sum + score.surplus, 0);
  return `${mean.toFixed(3)} ${computeAdjacencyF1(scores).toFixed(3)} +${surplus}`;
}

/**
 * Joins the tables of all pages. The first table of a page continues the last one of the previous page if it
 * has the same number of columns. A repeated header counts once.
 */
function joinTablesOverPages(pages: readonly Grid[][]): Grid[] {
  const tables: Grid[] = [];
  for (const page of pages) {
    for (const [at, grid] of page.map(cleanGrid).entries()) {
      const before = tables.at(-1);
      const again = grid[0]?.join('\t') === before?.[0]?.join('\t');
      if (at === 0 && before?.[0]?.length === grid[0]?.length) before?.push(...grid.slice(again ? 1 : 0));
      else tables.push(grid);
    }
  }
  return tables.filter(isTable);
}
