import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually, newIndex } from './support/papers.ts';

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

const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

it('opens a menu whose items the keyboard reaches by arrows, Home, End and first letters', async () => {
  const name = `Menu ${crypto.randomUUID()}`;
  await newIndex(service, name);
  await visitor.open('/indexes');
  const button = page.getByRole('button', { name: `Actions for ${name}` });
  await button.focus();
  await page.keyboard.press('Enter');
  const items = page.getByRole('menu').getByRole('menuitem');
  await items.first().waitFor();
  const labels = await items.allTextContents();
  expect(labels.length).toBeGreaterThan(1);
  await eventually(focused).toBe(labels[0]);
  await visitor.expectAccessible();
  await page.keyboard.press('End');
  await eventually(focused).toBe(labels.at(-1));
  await page.keyboard.press('Home');
  await eventually(focused).toBe(labels[0]);
  await page.keyboard.press('ArrowUp');
  await eventually(focused).toBe(labels.at(-1));
  await page.keyboard.press(labels[0]!.charAt(0).toLowerCase());
  await eventually(focused).toBe(labels[0]);
  await page.keyboard.press('Escape');
  await eventually(() => page.getByRole('menu').count()).toBe(0);
  await eventually(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
  // A second click on the button closes the menu that the first click opened.
  await button.click();
  await items.first().waitFor();
  await button.click();
  await eventually(() => page.getByRole('menu').count()).toBe(0);
});

it('keeps a menu beside its button while the page scrolls', async () => {
  await page.setViewportSize({ width: 1000, height: 420 });
  const name = `Scroll ${crypto.randomUUID()}`;
  await newIndex(service, name);
  await visitor.open('/indexes');
  const button = page.getByRole('button', { name: `Actions for ${name}` });
  await button.click();
  const menu = page.getByRole('menu');
  await menu.waitFor();
  // Both boxes are read in one frame, because they move between two requests.
  const distance = () =>
    page.evaluate((label) => {
      const [above, below] = [`button[aria-label="${label}"]`, '[role=menu]'].map((selector) =>
        document.querySelector(selector)?.getBoundingClientRect(),
      );
      if (!above || !below) return Number.NaN;
      return Math.round(Math.max(below.top - above.bottom, above.top - below.bottom));
    }, `Actions for ${name}`);
  await eventually(distance).toBeLessThan(10);
  await page.evaluate(() => document.body.style.setProperty('padding-block-end', '60rem'));
  await page.evaluate(() => scrollBy(0, 30));
  await eventually(distance).toBeLessThan(10);
  await eventually(distance).toBeGreaterThanOrEqual(0);
});

it('shows the name of an icon in a tooltip for pointer and keyboard', async () => {
  await visitor.open('/indexes');
  const button = page.getByRole('button', { name: 'Sign out' });
  const tooltip = page.locator('[data-tooltip-popup]');
  await button.hover();
  await tooltip.waitFor();
  expect(await tooltip.textContent()).toBe('Sign out');
  await visitor.expectAccessible();
  await page.keyboard.press('Escape');
  await eventually(() => tooltip.count()).toBe(0);
  await page.mouse.move(600, 300);
  await page.getByRole('button', { name: /^Theme/ }).focus();
  await page.keyboard.press('Tab');
  await eventually(() => tooltip.allTextContents()).toEqual(['Sign out']);
});

it('moves between tabs by arrows, Home and End', async () => {
  await visitor.open('/connections');
  const tabs = page.getByRole('tab');
  await tabs.first().focus();
  await page.keyboard.press('End');
  await eventually(() => tabs.last().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Home');
  await eventually(() => tabs.first().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowRight');
  await eventually(() => tabs.nth(1).getAttribute('aria-selected')).toBe('true');
  expect(await page.getByRole('tabpanel').count()).toBe(1);
  await visitor.expectAccessible();
});

it('confirms a finished action with a toast that screen readers announce', async () => {
  const name = `Toast ${crypto.randomUUID()}`;
  await newIndex(service, name);
  await visitor.open('/indexes');
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  const toast = page.getByRole('dialog').filter({ hasText: 'Copied as' });
  await toast.waitFor();
  expect(await page.locator('[aria-live]').filter({ hasText: 'Copied as' }).count()).toBeGreaterThan(0);
  await visitor.expectAccessible();
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await eventually(() => toast.count()).toBe(0);
});
