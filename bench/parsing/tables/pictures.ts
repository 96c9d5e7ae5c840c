import type { Browser } from 'playwright-core';
import { launch } from '../../../console/test/support/chromium.ts';
import { writeTables } from './drawn.ts';
import { cleanGrid, computeAdjacencyF1, type Grid, isTable, type Score, scoreTables } from './score.ts';

/** Returns the tables of each page of a picture. */
type Read = (name: string, png: Uint8Array<ArrayBuffer>) => Promise<Grid[][]>;

export interface TablePicture {
  kind: string;
  dpi: number;
  png: Uint8Array<ArrayBuffer>;
  tables: Grid[];
}

/** Resolutions in dots per inch: of pictures on screens and in web pages, and of scans. */
const RESOLUTIONS = [72, 96, 110, 150, 200];
/** Resolution in which one pixel of CSS is one pixel of the picture. */
const CSS_DPI = 96;
/** Width of the documents in pixels of CSS: a page of A4. */
const WIDTH = 794;
/** Kinds of tables that are not drawn, because their pages are too long for one picture. */
const LEFT_OUT = ['over pages', 'Greek and Cyrillic'];

/** Draws tables of each kind to pictures, one in each resolution, with random choices from `seed`. */
export async function* drawTablePictures(browser: Browser, seed: number): AsyncGenerator<TablePicture> {
  let number = 0;
  for (const { kind, html, tables } of writeTables(seed, RESOLUTIONS.length)) {
    if (LEFT_OUT.includes(kind)) continue;
    const dpi = RESOLUTIONS[number++ % RESOLUTIONS.length]!;
    const page = await browser.newPage({
      deviceScaleFactor: dpi / CSS_DPI,
      viewport: { width: WIDTH, height: 600 },
    });
    await page.setContent(html);
    const png = new Uint8Array(await page.screenshot({ fullPage: true }));
    await page.close();
    yield { kind, dpi, png, tables };
  }
}

/** Prints how well tables in pictures are read, by kind and by resolution. */
export async function compareTablePictures(read: Read, seed: number): Promise<void> {
  const scores = new Map<string, Score[]>();
  const browser = await launch();
  try {
    for await (const { kind, dpi, png, tables } of drawTablePictures(browser, seed)) {
      const found = (await read('table.png', png)).flat().map(cleanGrid).filter(isTable);
      const score = scoreTables(found, tables.map(cleanGrid));
      for (const row of [kind, `${dpi} dpi`, 'all']) scores.set(row, [...(scores.get(row) ?? []), score]);
    }
  } finally {
    await browser.close();
  }
  console.table(
    [...scores].map(([row, some]) => ({
      [`tables in pictures, seed ${seed}`]: row,
      TEDS: average(some.flatMap(({ teds }) => teds)).toFixed(3),
      'adjacency F1': computeAdjacencyF1(some).toFixed(3),
      'additional tables': some.reduce((sum, { surplus }) => sum + surplus, 0),
    })),
  );
}

const average = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
