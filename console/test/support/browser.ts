import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ServiceClient } from '../../../test/process/service.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { listViolations } from './accessible.ts';

export { launch } from './chromium.ts';

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Opens a page of the console, such as `/indexes`. */
  open(path: string): Promise<void>;
  /**
   * Declares errors in the browser's console that the test causes, by words that they contain, such as `401`.
   */
  expectErrors(...words: string[]): void;
  /**
   * Disconnects the browser when the page has loaded. Browsers remember a module that failed until the page is reloaded,
   * and a page that is shown may still be loading some.
   */
  goOffline(): Promise<void>;
  /** Checks that the visible page has no violation of WCAG 2.2 AA. */
  expectAccessible(): Promise<void>;
  /** Checks that no unexpected error occurred and that no other origin was requested, and closes the page. */
  end(): Promise<void>;
}

interface Options {
  /** Whether the page is signed in. Defaults to true. */
  signedIn?: boolean;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** Language and region of the browser, such as `de-AT`. */
  locale?: string;
  reducedMotion?: 'reduce';
  forcedColors?: 'active';
  /** Origins besides the service that the page may request, such as an identity provider. */
  otherOrigins?: readonly string[];
}

/** Opens a browser context for one test and records errors and requests to other origins. */
export async function visit(browser: Browser, service: ServiceClient, options: Options = {}): Promise<Visit> {
  const { signedIn = true, viewport = { width: 1280, height: 800 }, otherOrigins = [], ...rest } = options;
  const context = await browser.newContext({ baseURL: service.base, viewport, ...rest });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  if (signedIn) await signIn(context, service);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const expected: string[] = [];
  const foreign: string[] = [];
  const allowed = [service.base, ...otherOrigins];
  page.on('pageerror', (error) => complaints.push(`page error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const { url } = message.location();
    if (message.type() === 'error') complaints.push(`console: ${message.text()} ${url}`);
  });
  // The event `request` also reports requests that the Content-Security-Policy blocked.
  page.on('requestfinished', (request) => {
    const url = request.url();
    if (!allowed.some((origin) => url.startsWith(origin)) && !/^(?:data|blob):/.test(url)) foreign.push(url);
  });
  return {
    page,
    context,
    open: async (path) => {
      await page.goto(`/console${path}`);
    },
    expectErrors: (...words) => {
      expected.push(...words);
    },
    async goOffline() {
      await page.waitForLoadState('networkidle');
      await context.setOffline(true);
    },
    expectAccessible: async () => expectNone(await listViolations(page)),
    async end() {
      await context.close();
      const isExpected = (text: string) => expected.some((word) => text.includes(word));
      expectNone(complaints.filter((text) => !isExpected(text)));
      expectNone(foreign);
    },
  };
}

/** Signs in with the same operation that the sign-in form uses. */
export async function signIn(
  context: BrowserContext,
  service: ServiceClient,
  key = service.key,
): Promise<void> {
  const answer = await context.request.post('/api/v1/session', {
    data: { api_key: key },
    headers: { origin: service.base },
  });
  expect(answer.status()).toBe(204);
}

/** Fails with the texts in its message, because a report of many tests shows the message only. */
function expectNone(texts: string[]): void {
  expect(texts, texts.join('\n')).toEqual([]);
}
