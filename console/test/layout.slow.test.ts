import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually, newIndex } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;
let index: string;
let webhook: string;

const ARABIC = 'تقرير الميناء.txt';
const WIDTHS = [320, 390, 600, 1024, 1100, 1440];

beforeAll(async () => {
  await service.start();
  browser = await launch();
  index = await newIndex(service, 'A name of an index that is much longer than a narrow window is wide');
  await service.upload(ARABIC, 'وصلت السفينة.');
  await service.upload('notes.md', '# Notes');
  const url = 'https://example.com/a/long/path/of/an/endpoint/that-receives-every-event-of-the-project';
  const made = await service.call<{ id: string }>('POST', '/api/v1/beta/webhook-configs', {
    webhook_url: url,
  });
  webhook = made.id;
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

const heading = () => page.getByRole('heading', { level: 1 });

it.each(['/indexes', '/files', '/webhooks', '/keys', '/connections', '/about'])(
  'fits %s into every width, with whole words in badges',
  async (path) => {
    await visitor.open(path);
    await heading().waitFor();
    await page.waitForLoadState('networkidle');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const measure = () =>
        page.evaluate(() => {
          const badges = [...document.querySelectorAll<HTMLElement>('[class*=badge]')];
          const lineHeight = (badge: HTMLElement) => Number.parseFloat(getComputedStyle(badge).lineHeight);
          return {
            overflow: document.documentElement.scrollWidth - innerWidth,
            broken: badges
              .filter(({ textContent }) => !/\s/.test(textContent.trim()))
              .filter((badge) => badge.offsetHeight > 1.8 * lineHeight(badge)).length,
          };
        });
      await eventually(measure).toEqual({ overflow: 0, broken: 0 });
    }
    await page.setViewportSize({ width: 320, height: 800 });
    await visitor.expectAccessible();
  },
);

it('shows the rows of a table as cards with the names of their columns', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await visitor.open('/webhooks');
  const row = page.getByRole('region', { name: 'Endpoints', exact: true }).getByRole('row').nth(1);
  const cell = row.getByRole('cell').nth(1);
  await cell.waitFor();
  expect(await cell.evaluate((element) => getComputedStyle(element, '::before').content)).toContain('Events');
  const [first, second] = [await row.getByRole('cell').first().boundingBox(), await cell.boundingBox()];
  expect(second!.y).toBeGreaterThanOrEqual(first!.y + first!.height);
  expect(webhook).toBeTruthy();
});

it.each(['/indexes', '/files', '/webhooks', '/keys'])(
  'gives the tables of %s the whole width of a wide window, in dense rows',
  async (path) => {
    const measure = () =>
      page.evaluate(() => {
        const table = document.querySelector('main [data-table]')!;
        const row = table.querySelectorAll('[role=row]')[1]!;
        return {
          share: table.getBoundingClientRect().width / document.querySelector('main')!.clientWidth,
          rowHeight: row.getBoundingClientRect().height,
          heading: document.querySelector('h1')!.getBoundingClientRect().x,
        };
      });
    await visitor.open(path);
    await page.locator('main [data-table] [role=row]').nth(1).waitFor();
    const before = await measure();
    await page.setViewportSize({ width: 2560, height: 1200 });
    await eventually(async () => (await measure()).share).toBeGreaterThan(0.95);
    await eventually(async () => (await measure()).rowHeight).toBeLessThan(before.rowHeight);
    expect((await measure()).heading).toBeCloseTo(before.heading, 0);
    await visitor.expectAccessible();
  },
);

it('shows the whole choice in the parameters of a retriever', async () => {
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/retrievers', {
    name: `Both ${crypto.randomUUID()}`,
    pipelines: [{ pipeline_id: index, name: 'Only', description: 'Only' }],
  });
  await visitor.open(`/retrievers/${id}`);
  const panel = page.getByRole('complementary', { name: 'Parameters' });
  await panel.getByLabel('Page images').waitFor();
  const findCut = () =>
    panel.evaluate((element) =>
      [...element.querySelectorAll('select')].flatMap((select) => {
        const given = select.getBoundingClientRect().width;
        const natural = select.cloneNode(true) as HTMLSelectElement;
        natural.replaceChildren(select.selectedOptions[0]!.cloneNode(true));
        natural.style.cssText = 'position: absolute; width: max-content';
        select.parentNode!.insertBefore(natural, select);
        const { width } = natural.getBoundingClientRect();
        natural.remove();
        return width > given + 1 ? [`${select.id}: ${given} of ${width} px`] : [];
      }),
    );
  for (const width of [...WIDTHS.filter((each) => each >= 390), 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await eventually(findCut).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  }
});

it('keeps a readable width of forms in a wide window', async () => {
  await page.setViewportSize({ width: 2560, height: 1200 });
  await visitor.open(`/indexes/${index}/settings`);
  const form = page.getByRole('region', { name: 'Name', exact: true });
  await form.waitFor();
  expect((await form.boundingBox())!.width).toBeLessThan(1300);
});

it('shows a new name of an index at once, and puts it back if the service refuses', async () => {
  const taken = `Taken ${crypto.randomUUID()}`;
  await newIndex(service, taken);
  visitor.expectErrors('409');
  await visitor.open(`/indexes/${index}/settings`);
  const before = await heading().textContent();
  const form = page.getByRole('form', { name: 'Name' });
  const answer = Promise.withResolvers<void>();
  await page.route(`**/api/v1/pipelines/${index}*`, async (route) => {
    if (route.request().method() === 'PUT') await answer.promise;
    await route.continue();
  });
  await form.getByLabel('Name').fill(taken);
  await form.getByRole('button', { name: 'Save' }).click();
  await heading()
    .filter({ hasText: new RegExp(`^${taken}$`) })
    .waitFor();
  answer.resolve();
  await heading().filter({ hasText: before! }).waitFor();
  await form.getByText(taken).waitFor();
  expect(await form.getByLabel('Name').inputValue()).toBe(taken);
});

it('aligns names by their own direction, and the whole page by the direction of the document', async () => {
  await visitor.open('/files');
  const arabic = page.getByRole('gridcell').filter({ hasText: ARABIC });
  const latin = page.getByRole('gridcell').filter({ hasText: 'notes.md' });
  await arabic.waitFor();
  const gaps = (name: typeof arabic) =>
    name.evaluate((cell) => {
      const [outer, inner] = [cell, cell.querySelector('a')!].map((each) => each.getBoundingClientRect());
      return { left: inner!.left - outer!.left, right: outer!.right - inner!.right };
    });
  const [right, left] = [await gaps(arabic), await gaps(latin)];
  expect(right.right).toBeLessThan(right.left);
  expect(left.left).toBeLessThan(left.right);

  const sidebar = page.getByRole('complementary', { name: 'Navigation' });
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  await eventually(async () => (await sidebar.boundingBox())!.x).toBeGreaterThan(600);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await visitor.expectAccessible();
});

it('keeps the heading in place while code and data of a page load slowly', async () => {
  const delays: Promise<void>[] = [];
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 1_000));
  await page.route(/\/console\/assets\/keys-|\/api\/v1\/api-keys/, async (route) => {
    const delay = wait();
    delays.push(delay);
    await delay;
    await route.continue();
  });
  await visitor.open('/keys');
  await page.getByRole('status').filter({ hasText: 'Loading' }).first().waitFor();
  const place = async () => {
    const box = (await heading().boundingBox())!;
    return [await heading().textContent(), Math.round(box.x), Math.round(box.y)];
  };
  const before = await place();
  await page.getByRole('region', { name: 'API keys', exact: true }).waitFor();
  expect(await place()).toEqual(before);
  expect(delays.length).toBeGreaterThan(1);
});

it('moves through a list by single keys without a click, and leaves the search field with Escape', async () => {
  await visitor.open('/files');
  const rows = page.getByRole('grid').getByRole('row');
  await rows.nth(2).waitFor();
  const focusedRow = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-rowindex') ?? document.activeElement?.tagName,
    );
  await page.keyboard.press('j');
  await eventually(focusedRow).toBe('2');
  await page.keyboard.press('j');
  await eventually(focusedRow).toBe('3');
  await page.keyboard.press('x');
  await eventually(() => rows.nth(2).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search by name' });
  await page.keyboard.type('j');
  expect(await search.inputValue()).toBe('j');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('n');
  await page.keyboard.press('Escape');
  expect(await search.inputValue()).toBe('n');
  await eventually(() => rows.count()).toBe(2);
  await page.keyboard.press('j');
  await eventually(focusedRow).toBe('2');
  await page.keyboard.press('Enter');
  await eventually(() => new URL(page.url()).pathname).toMatch(/\/console\/files\/./);
});

it('finds pages, indexes, files and actions in the command palette', async () => {
  await visitor.open('/indexes');
  await heading().waitFor();
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /^Search pages/ });
    await field.waitFor();
    await eventually(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type(text);
  };
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  const searched: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/v1/beta/files') searched.push(searchParams.get('name_contains') ?? '');
  });
  await open('longer than');
  await option(/^A name of an index/).waitFor();
  await visitor.expectAccessible();
  await page.keyboard.press('Enter');
  await eventually(() => new URL(page.url()).pathname).toBe(`/console/indexes/${index}`);
  await open('الميناء');
  await option(ARABIC).waitFor();
  await page.keyboard.press('Enter');
  await eventually(() => new URL(page.url()).pathname).toMatch(/\/console\/files\/./);
  await open('new index');
  await option('New index').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New index' }).waitFor();
  await page.keyboard.press('Escape');
  await open('no such thing');
  await page.getByText('Nothing matches.').waitFor();
  await eventually(() => searched.at(-1)).toBe('no such thing');
  // Files are not searched for each letter.
  const forText = searched.filter((text) => text !== '' && 'no such thing'.startsWith(text));
  expect(forText.length).toBeLessThan('no such thing'.length);
  await page.keyboard.press('Escape');
  await eventually(() => page.getByRole('dialog').count()).toBe(0);
});

it('keeps the draft of an index and of a schema when the user goes back', async () => {
  await visitor.open('/indexes');
  await page.getByRole('button', { name: 'New index' }).first().click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill('A draft');
  await page.goBack();
  await eventually(() => page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'New index' }).first().click();
  expect(await name.inputValue()).toBe('A draft');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await eventually(() => name.inputValue()).toBe('');
  await page.keyboard.press('Escape');

  const places = page.getByRole('complementary', { name: 'Navigation' });
  await places.getByRole('link', { name: 'Extract' }).click();
  await page.getByRole('tab', { name: 'JSON Schema' }).click();
  const field = page.getByRole('tabpanel').getByRole('textbox');
  await field.fill('{"type":"object","properties":{"total":{"type":"number"}}}');
  await field.blur();
  await places.getByRole('link', { name: 'Indexes' }).click();
  await heading().filter({ hasText: 'Indexes' }).waitFor();
  await page.goBack();
  await page.getByRole('tab', { name: 'JSON Schema' }).click();
  await eventually(() => field.inputValue()).toContain('total');
});

it('does not open the dialog for a new index again when the user goes back', async () => {
  await visitor.open('/indexes');
  await page.getByRole('button', { name: 'New index' }).first().click();
  const name = `Made ${crypto.randomUUID()}`;
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Indexes' }).waitFor();
  await page.getByRole('link', { name }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(new URL(page.url()).search).toBe('');
});

it('remembers hidden and resized columns', async () => {
  await visitor.open('/files');
  const header = (name: string) => page.getByRole('columnheader', { name, exact: true });
  await header('Origin').waitFor();
  const width = async () => Math.round((await header('Type').boundingBox())!.width);
  const before = await width();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Origin' }).uncheck();
  await page.getByRole('button', { name: 'Wider: Type' }).click();
  await eventually(width).toBeGreaterThan(before);
  await eventually(() => header('Origin').count()).toBe(0);
  await visitor.expectAccessible();
  const wider = await width();
  await page.reload();
  await header('Type').waitFor();
  expect(await width()).toBe(wider);
  expect(await header('Origin').count()).toBe(0);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset columns' }).click();
  await header('Origin').waitFor();
  await eventually(width).toBe(before);
  await page.keyboard.press('Escape');
  // The edge of a column can be dragged, too.
  const edge = (await header('Type').boundingBox())!;
  await page.mouse.move(edge.x + edge.width - 2, edge.y + 10);
  await page.mouse.down();
  await page.mouse.move(edge.x + edge.width + 58, edge.y + 10, { steps: 4 });
  await page.mouse.up();
  await eventually(width).toBeGreaterThan(before + 40);
});

it('names the products of connections, with a guide', async () => {
  await visitor.open('/connections');
  await page.getByRole('button', { name: 'New data source' }).first().click();
  const type = page.getByLabel('Type', { exact: true });
  await type.selectOption({ label: 'Amazon S3' });
  const guide = page.getByRole('link', { name: 'How to connect Amazon S3' });
  const address = await guide.getAttribute('href');
  const answer = await visitor.context.request.get(address!);
  expect(answer.status()).toBe(200);
  expect(await answer.text()).toContain('Connect Amazon S3');
  await page.getByText('SOURCE_9_BUCKET').waitFor();
  await visitor.expectAccessible();
});
