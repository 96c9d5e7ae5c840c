import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;

/** Number of presses of Tab after which an element counts as unreachable. */
const MOST_TABS = 80;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service, { reducedMotion: 'reduce' });
  page = visitor.page;
});
afterEach(() => visitor.end());

/** Returns the name of the element that has the focus, and whether the browser shows that it has. */
const readFocus = () =>
  page.evaluate(() => {
    const element = document.activeElement as
      | (HTMLElement & { labels?: NodeListOf<HTMLElement> | null })
      | null;
    const name =
      element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent;
    // A field may show its focus on the frame around it.
    const frames = [element, element?.parentElement, element?.parentElement?.parentElement];
    const isMarked = frames.some((frame) => {
      if (!frame) return false;
      return getComputedStyle(frame).outlineStyle !== 'none';
    });
    return { name: name?.trim() ?? '', isMarked };
  });

/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < MOST_TABS) {
    const focus = await readFocus();
    if (name.test(focus.name)) {
      expect(focus).toMatchObject({ isMarked: true });
      return;
    }
    passed.push(focus.name.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}, only: ${passed.join(', ')}`);
}

async function activate(name: RegExp): Promise<void> {
  await tabTo(name);
  await page.keyboard.press('Enter');
}

it('creates an index, uploads a file, asks and opens a citation by keyboard alone', async () => {
  await visitor.open('/indexes');
  await page.getByRole('button', { name: 'New index' }).first().waitFor();
  await activate(/^New index$/);
  await page.getByRole('dialog', { name: 'New index' }).waitFor();
  await tabTo(/^Name/);
  await page.keyboard.type('Lighthouse');
  await activate(/^Next$/);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  const chooser = page.waitForEvent('filechooser');
  await activate(/^Choose files$/);
  await (await chooser).setFiles({
    name: 'lighthouse.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Lighthouse\n\nMatilda Oyelaran built the Corran lighthouse in 1931.'),
  });
  await page.getByRole('button', { name: 'Remove lighthouse.md' }).waitFor();
  await activate(/^Next$/);
  await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
  await activate(/^Create$/);
  await page.getByRole('heading', { level: 1, name: 'Lighthouse' }).waitFor();
  await page.getByRole('link', { name: '1 ready' }).waitFor();

  await activate(/^Chat$/);
  await page.getByRole('textbox', { name: 'Question' }).waitFor();
  await tabTo(/^Question$/);
  await page.keyboard.type('Who built the Corran lighthouse?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Regenerate' }).waitFor();
  await activate(/^Source 1/);
  const panel = page.getByRole('complementary', { name: 'lighthouse.md' });
  await panel.locator('mark', { hasText: 'Matilda Oyelaran built' }).waitFor();
  await eventually(async () => (await readFocus()).name).toBe('lighthouse.md');
  await page.keyboard.press('Escape');
  await eventually(() => panel.count()).toBe(0);
  await eventually(async () => (await readFocus()).name).toMatch(/^Source 1/);
});
