import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildPdf, text } from '../../test/fixtures/pdf.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { needsPassword } from '../src/forms/needs-password.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { addFiles, eventually, newIndex } from './support/papers.ts';

const service = new SharedService();
const PASSWORD = `0pens${crypto.randomUUID().slice(0, 8)}`;
let browser: Browser;
let visitor: Visit;
let page: Page;
let locked: string;

beforeAll(async () => {
  await service.start();
  const pages = [{ content: text(72, 700, 'Invoice number: INV-2077 for the harbour master') }];
  locked = await service.upload('locked.pdf', new Uint8Array(buildPdf({ pages, password: PASSWORD })));
  browser = await launch();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
  page = visitor.page;
});
afterEach(() => visitor.end());

const field = () => page.getByLabel('Password', { exact: true });

async function tryPassword(password: string): Promise<void> {
  await field().fill(password);
  await page.getByRole('button', { name: 'Try again with password' }).click();
}

/** Checks that the password is not in the page, its address or the storage of the browser. */
async function expectForgotten(): Promise<void> {
  const kept = await page.evaluate(() => {
    const fields = [...document.querySelectorAll('input')].map(({ value }) => value);
    return JSON.stringify([
      ...[document.documentElement.outerHTML, location.href, fields],
      ...[{ ...sessionStorage }, { ...localStorage }, history.state],
    ]);
  });
  expect(kept).not.toContain(PASSWORD);
}

it('asks for the password of a file in an index and indexes the file', async () => {
  const index = await newIndex(service, `Locked ${crypto.randomUUID()}`, {
    parse_parameters: { max_pages: 7 },
  });
  const open = await service.upload('open.txt', 'The gate is open at night.');
  await addFiles(service, index, [locked, open]);
  const file = () =>
    service.call<{ status: string; error: { message: string }[] | null }>(
      'GET',
      `/api/v1/pipelines/${index}/files/${locked}/status`,
    );
  await eventually(async () => (await file()).status).toBe('ERROR');
  await visitor.open(`/indexes/${index}/files?file=${locked}`);
  const dialog = page.getByRole('dialog', { name: 'locked.pdf' });
  await dialog.getByText('is encrypted with a password').waitFor();
  expect(await field().getAttribute('type')).toBe('password');
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Try again with password' }).click();
  await dialog.getByText('Enter the password of the file.').waitFor();

  await tryPassword('a guess');
  await dialog.getByText('The password does not open the PDF.').waitFor();
  await dialog.getByText('This index already has a password').waitFor();
  await visitor.expectAccessible();
  await tryPassword(PASSWORD);
  await dialog.getByText('Ready', { exact: true }).waitFor();
  expect(await field().count()).toBe(0);
  await expectForgotten();
  expect((await file()).status).toBe('SUCCESS');
  const stored = await service.call<{ parse_parameters: unknown }>('GET', `/api/v1/pipelines/${index}`);
  expect(stored.parse_parameters).toEqual({ max_pages: 7, password: '********' });
});

it('asks for the password of a file that a job could not read', async () => {
  const data_schema = { type: 'object', properties: { invoice_number: { type: 'string' } } };
  const rules = [{ type: 'invoice', description: 'Asks for money: it has an invoice number' }];
  const jobs = [
    ['parse', { file_id: locked }, 'for the harbour master'],
    ['extract', { file_input: locked, configuration: { data_schema } }, 'INV-2077'],
    ['classify', { file_input: locked, configuration: { rules } }, 'Confidence'],
  ] as const;
  for (const [place, body, result] of jobs) {
    const { id } = await service.call<{ id: string }>('POST', `/api/v2/${place}`, body);
    await visitor.open(`/${place}/${id}`);
    await page.getByRole('heading', { name: 'The file is protected' }).waitFor();
    await visitor.expectAccessible();
    await tryPassword(PASSWORD);
    await page.getByText(result).first().waitFor();
    expect(new URL(page.url()).pathname).not.toContain(id);
    await page.getByText('Completed').first().waitFor();
    await expectForgotten();
  }
});

it('asks for a password only if a password can help', () => {
  for (const [message, isAsked] of [
    [
      'PDF_IS_PROTECTED: The PDF is encrypted with a password. Set the parse parameter `password` to open it.',
      true,
    ],
    ['FILE_IS_PROTECTED: The password does not open the file.', true],
    ['PDF_IS_PROTECTED: The PDF is encrypted in a way that cannot be opened here.', false],
    [
      'FILE_IS_PROTECTED: The file is encrypted in a way that cannot be opened here: it has no key that a password can decrypt.',
      false,
    ],
    ['FILE_IS_PROTECTED: The book is protected by digital rights management.', false],
    ['PDF_IS_BROKEN: no password here', false],
    [null, false],
  ] as const) {
    expect(needsPassword(message), String(message)).toBe(isAsked);
  }
});
