import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { settle } from './settle.ts';

/** Maximum number of checks of a page that keeps changing. */
const MAX_CHECKS = 5;

/**
 * Lists the violations of WCAG 2.2 AA in the visible page. A check takes about a second and reads the page several
 * times, so a change in between, such as a table that has loaded, looks like a violation. In this case the page is
 * checked again.
 */
export async function listViolations(page: Page): Promise<string[]> {
  // The page's policy blocks foreign scripts. Scripts that the debugger evaluates are exempt.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  for (let check = 1; ; check += 1) {
    await settle(page);
    const { violations, isChanged } = await checkOnce(page);
    if (violations.length === 0 || !isChanged || check === MAX_CHECKS) return violations;
  }
}

async function checkOnce(page: Page): Promise<{ violations: string[]; isChanged: boolean }> {
  return page.evaluate(async () => {
    const { axe: here } = globalThis as unknown as { axe: typeof import('axe-core') };
    let isChanged = false;
    const observer = new MutationObserver(() => {
      isChanged = true;
    });
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    // Guards at the ends of an overlay take the focus only to pass it on.
    const context = { exclude: [['[data-base-ui-focus-guard]']] };
    const found = await here.run(context, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    if (observer.takeRecords().length > 0) isChanged = true;
    observer.disconnect();
    const violations = found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
    );
    return { violations, isChanged };
  });
}
