import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { listViolations } from './support/accessible.ts';
import { launch } from './support/browser.ts';
import { settle } from './support/settle.ts';

let browser: Browser;
let page: Page;

const show = (style: string, content: string) =>
  page.setContent(
    `<!doctype html><html lang="en"><title>Page</title><style>${style}</style><main><h1>Page</h1>${content}</main></html>`,
  );

beforeAll(async () => {
  browser = await launch();
}, 120_000);
afterAll(() => browser?.close());
beforeEach(async () => {
  page = await browser.newPage();
});
afterEach(() => page.close());

it('reports a violation of a page that does not change', async () => {
  await show('', '<img src="data:,">');
  expect(await listViolations(page)).toEqual([expect.stringMatching(/^image-alt: <img/)]);
});

it('checks a page again that changed while it was checked', async () => {
  await show('', '<img id="quay" alt="A quay" src="data:,">');
  await page.evaluate(() => {
    let checks = 0;
    const run = async () => {
      checks += 1;
      if (checks === 3) return { violations: [] };
      document.querySelector('#quay')!.setAttribute('alt', `A quay, changed ${checks} times`);
      return { violations: [{ id: 'image-alt', nodes: [{ html: '<img>' }] }] };
    };
    Object.assign(globalThis, { axe: { run } });
  });
  expect(await listViolations(page)).toEqual([]);
});

const COLOURS =
  ':root { color-scheme: light dark; color: light-dark(#000, #fff); background: light-dark(#fff, #000); }';
const NESTED = '<div><div><div><p>Text <i>turns</i></p></div></div></div>';
const readColour = () => page.evaluate(() => getComputedStyle(document.querySelector('i')!).color);

it('changes the colours of the console at once if motion is reduced', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await show(readFileSync('console/src/ui/base.css', 'utf8') + COLOURS, NESTED);
  for (const [colorScheme, colour] of [
    ['dark', 'rgb(255, 255, 255)'],
    ['light', 'rgb(0, 0, 0)'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await readColour()).toBe(colour);
  }
});

it('waits for transitions that follow from one another, and not for endless animations', async () => {
  const style = `${COLOURS}
    * { transition: all 80ms; }
    i { animation: turn 1s infinite; }
    @keyframes turn { to { rotate: 360deg; } }`;
  await show(style, NESTED);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settle(page);
  expect(await readColour()).toBe('rgb(255, 255, 255)');
});
