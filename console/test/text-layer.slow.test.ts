import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildPdf, text } from '../../test/fixtures/pdf.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually, twoPages } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
  page = visitor.page;
});
afterEach(() => visitor.end());

/** Opens a file in the viewer and waits for the text over the picture of its first page. */
async function openFile(name: string, content: Uint8Array | string) {
  const id = await service.upload(name, content as Uint8Array<ArrayBuffer>);
  await visitor.open(`/files/${id}`);
  await layer().and(page.locator('[data-text-layer=shown]')).waitFor();
}

const layer = () => page.locator('figure [data-text-layer]');
const run = (words: string) => layer().locator('span', { hasText: words });
const readSelection = () => page.evaluate(() => getSelection()!.toString());

it('lets words over the picture be selected and copied', async () => {
  await openFile('berths.pdf', twoPages());
  const first = (await run('Berth 1 takes').boundingBox())!;
  const second = (await run('Berth 2 takes').boundingBox())!;
  const sheet = (await page.getByRole('img', { name: 'Page 1 of berths.pdf' }).boundingBox())!;
  // The text lies over the printed line, 60 points from the left edge of a page that is 612 points wide.
  expect((first.x - sheet.x) / sheet.width).toBeCloseTo(60 / 612, 2);
  expect(first.y).toBeGreaterThan(sheet.y);
  await page.mouse.move(first.x + 1, first.y + first.height / 2);
  await page.mouse.down();
  await page.mouse.move(second.x + second.width - 4, second.y + second.height / 2, { steps: 8 });
  await page.mouse.up();
  await eventually(readSelection).toMatch(
    /^Berth 1 takes ships of 3 metres at most\.\nBerth 2 takes ships of 4 metre/,
  );
  await page.keyboard.press('Control+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^Berth 1 takes ships of 3 metres/,
  );
  // The search of the browser finds words that follow each other in one element.
  expect(await run('Berth 7 takes ships of 9 metres').count()).toBe(1);
  expect(await layer().getAttribute('aria-hidden')).toBe('true');
  await visitor.expectAccessible();
});

it('is not judged by tools that check contrast, whatever they find below', async () => {
  await openFile('contrast.pdf', twoPages());
  await page.locator('figure img').evaluate((image) => {
    image.style.display = 'none';
  });
  await page.evaluate(axe.source);
  const judged = await page.evaluate(async () => {
    const { axe: here } = globalThis as unknown as { axe: typeof import('axe-core') };
    const found = await here.run('[data-text-layer]', { runOnly: ['color-contrast'] });
    return [...found.passes, ...found.violations, ...found.incomplete].flatMap(({ nodes }) =>
      nodes.map(({ any: [check] }) => check?.data as { fgColor?: string; messageKey: string }),
    );
  });
  expect(judged.length).toBeGreaterThan(10);
  expect(new Set(judged.map(({ fgColor, messageKey }) => fgColor ?? messageKey))).toEqual(
    new Set(['bgGradient']),
  );
});

it('keeps its place when the picture is zoomed', async () => {
  await openFile('zoomed.pdf', twoPages());
  const share = async () => {
    const [box, sheet] = [
      await run('Berth 3 takes').boundingBox(),
      await page.locator('figure').boundingBox(),
    ];
    return [
      (box!.x - sheet!.x) / sheet!.width,
      (box!.y - sheet!.y) / sheet!.height,
      box!.width / sheet!.width,
    ];
  };
  const before = await share();
  const measureWidth = async () => (await page.locator('figure').boundingBox())!.width;
  const width = await measureWidth();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await eventually(measureWidth).toBeGreaterThan(1.4 * width);
  for (const [at, value] of (await share()).entries()) expect(value).toBeCloseTo(before[at]!, 2);
});

it('keeps right-to-left words in their order', async () => {
  const sentence = 'وصلت السفينة إلى الميناء';
  await openFile('arabic.txt', sentence);
  await layer()
    .locator('span')
    .first()
    .evaluate((span) => getSelection()!.selectAllChildren(span));
  expect((await readSelection()).trim()).toBe(sentence);
});

it('bounds the elements of a page with 20,000 words', async () => {
  const lines = Array.from({ length: 400 }, (_, line) =>
    text(
      10,
      780 - line * 1.9,
      Array.from({ length: 50 }, (_unused, n) => `w${line * 50 + n}`).join(' '),
      1.6,
    ),
  );
  await openFile('dense.pdf', new Uint8Array(buildPdf({ pages: [{ content: lines.join('') }] })));
  const [spans, words] = await layer().evaluate((element) => [
    element.childElementCount,
    element.textContent.split(/\s+/).filter(Boolean).length,
  ]);
  expect(words).toBe(20_000);
  expect(spans).toBeLessThanOrEqual(3_000);
});

it('reads the words of a page only when its picture is visible', async () => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('expand=words')) asked.push(new URL(request.url()).pathname);
  });
  const id = await service.upload('lazy.pdf', twoPages());
  await page.setViewportSize({ width: 1280, height: 800 });
  await visitor.open(`/files/${id}`);
  await layer().and(page.locator('[data-text-layer=shown]')).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('img', { name: 'Page 2 of lazy.pdf' }).waitFor();
  await run('Berth 13 takes').waitFor();
  expect(asked).toEqual([0, 1].map((index) => `/api/v1/files/${id}/pages/${index}`));
  // Thumbnails have no text.
  expect(await layer().count()).toBe(1);
});
