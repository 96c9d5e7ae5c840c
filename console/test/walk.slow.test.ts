import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { listViolations } from './support/accessible.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';
import { furnishScreens, listRoutes } from './support/walk.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let addresses: Record<string, string>;

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 800 };
/** Space that a page has in a window of 1,440 pixels at a zoom of 200 %. */
const ZOOMED = { width: 720, height: 450 };

const LOOKS = {
  light: { viewport: DESKTOP, colorScheme: 'light', forcedColors: 'none' },
  dark: { viewport: DESKTOP, colorScheme: 'dark', forcedColors: 'none' },
  'forced colours': { viewport: DESKTOP, colorScheme: 'dark', forcedColors: 'active' },
  'a zoom of 200 %': { viewport: ZOOMED, colorScheme: 'light', forcedColors: 'none' },
  'a phone': { viewport: PHONE, colorScheme: 'light', forcedColors: 'none' },
  'a dark phone': { viewport: PHONE, colorScheme: 'dark', forcedColors: 'none' },
} as const;

beforeAll(async () => {
  await service.start();
  addresses = await furnishScreens(service);
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service, { reducedMotion: 'reduce', viewport: DESKTOP });
});
afterEach(() => visitor.end());

it.each(listRoutes())('%s is accessible and fits the window in every look', async (route) => {
  const { page } = visitor;
  const address = route.includes(':') ? addresses[route] : route;
  expect(address, `support/walk.ts has no address of ${route}`).toBeDefined();
  // A busy machine can fail a check of the service's health, which this page shows.
  if (route === '/about') visitor.expectErrors('/health');
  await visitor.open(address!);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const faults: Record<string, unknown> = {};
  for (const [look, { viewport, ...media }] of Object.entries(LOOKS)) {
    await page.emulateMedia(media);
    await page.setViewportSize(viewport);
    await eventually(() => page.locator('[role=status]', { hasText: /^Loading/ }).count()).toBe(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) faults[`${look}: overflow`] = overflow;
    const violations = await listViolations(page);
    if (violations.length > 0) faults[look] = violations;
  }
  expect(faults, JSON.stringify(faults, undefined, 2)).toEqual({});
});
