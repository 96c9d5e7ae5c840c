import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const service = new Service();
let browser: Browser;
let visitor: Visit;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
afterEach(() => visitor.end());

/** Addresses of catalogs, which the build names by their language and a hash of their content. */
const CATALOGS = /\/console\/assets\/(?:de|es|fr|ja|zh)-[\w-]+\.js$/;

const heading = (name: string) => visitor.page.getByRole('heading', { level: 1, name, exact: true });
const readLanguage = () => visitor.page.evaluate(() => document.documentElement.lang);

it('shows the language of the browser', async () => {
  visitor = await visit(browser, service, { locale: 'de-AT' });
  await visitor.open('/indexes');
  await heading('Indexe').waitFor();
  expect(await readLanguage()).toBe('de');
  await visitor.expectAccessible();
  await visitor.open('/batches');
  await visitor.page.getByText('Ein Batch verarbeitet bis zu 1.000 Dateien.').waitFor();
  await visitor.expectAccessible();
  await visitor.open('/usage');
  await heading('Nutzung').waitFor();
  await visitor.expectAccessible();
});

it('loads no catalog for English, nor for a language that it does not have', async () => {
  visitor = await visit(browser, service, { locale: 'fi-FI' });
  const loaded: string[] = [];
  visitor.page.on('request', (request) => loaded.push(request.url()));
  await visitor.open('/indexes');
  await heading('Indexes').waitFor();
  expect(await readLanguage()).toBe('en');
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.filter((address) => CATALOGS.test(address))).toEqual([]);
});

it('changes the language without losing typed text, and keeps the choice', async () => {
  visitor = await visit(browser, service, { signedIn: false });
  visitor.expectErrors('401');
  await visitor.open('/indexes');
  await visitor.page.getByLabel('API key').fill(service.key);
  await visitor.page.getByLabel('Language', { exact: true }).selectOption('Français');
  const field = visitor.page.getByLabel('Clé API');
  await field.waitFor();
  expect(await readLanguage()).toBe('fr');
  expect(await field.inputValue()).toBe(service.key);
  await visitor.page.getByRole('button', { name: 'Se connecter' }).click();
  await heading('Index').waitFor();
  await visitor.page.reload();
  await heading('Index').waitFor();
  await visitor.page.getByLabel('Langue', { exact: true }).selectOption('English');
  await heading('Indexes').waitFor();
  expect(await readLanguage()).toBe('en');
});

it('keeps a page and its typed text when the language changes', async () => {
  visitor = await visit(browser, service);
  await visitor.open('/audit-log');
  const field = (label: string) => visitor.page.getByRole('textbox', { name: label, exact: true });
  await field('Operation').fill('createPipeline');
  const before = await field('Operation').elementHandle();
  await visitor.page.getByLabel('Language', { exact: true }).selectOption('Deutsch');
  await visitor.page.getByRole('heading', { level: 1, name: 'Audit-Log' }).waitFor();
  await visitor.page
    .getByText('Wer in dieser Organisation was geändert und wer sich angemeldet hat.')
    .waitFor();
  expect(await field('Operation').inputValue()).toBe('createPipeline');
  expect(await before!.evaluate((element) => element.isConnected)).toBe(true);
});

it('translates rows that are already rendered', async () => {
  await service.upload('tides.txt', 'High water at the north pier is at noon.');
  visitor = await visit(browser, service);
  await visitor.open('/files');
  await visitor.page.getByRole('checkbox', { name: 'Select tides.txt' }).waitFor();
  await visitor.page.getByLabel('Language', { exact: true }).selectOption('Español');
  await visitor.page.getByRole('checkbox', { name: 'Seleccionar tides.txt' }).waitFor();
  await visitor.page.getByRole('columnheader', { name: 'Tamaño' }).waitFor();
  await visitor.expectAccessible();
});

it('shows English if the catalog cannot be loaded, and says so if the user asked for the language', async () => {
  visitor = await visit(browser, service, { locale: 'de-DE' });
  visitor.expectErrors('404');
  await visitor.page.route(CATALOGS, (route) => route.fulfill({ status: 404 }));
  await visitor.open('/indexes');
  await heading('Indexes').waitFor();
  expect(await readLanguage()).toBe('en');
  await visitor.page.getByLabel('Language', { exact: true }).selectOption('Español');
  await visitor.page.getByText('The language could not be loaded.').waitFor();
  expect(await readLanguage()).toBe('en');
});
