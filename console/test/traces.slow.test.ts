import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { launch, visit } from './support/browser.ts';
import { addFiles, eventually, newIndex, synced } from './support/papers.ts';

// The settings of traces belong to the organization, which a shared service's project key cannot administer.
const service = new Service();
let browser: Browser;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});

it('records an answer, shows how it came about, and takes feedback', async () => {
  const index = await newIndex(service, `Harbour ${crypto.randomUUID()}`);
  await addFiles(service, index, [
    await service.upload('manual.txt', 'The north quay is 140 metres long. Rye bread rests for hours.'),
  ]);
  await synced(service, index);
  const visitor = await visit(browser, service);
  const { page } = visitor;
  await visitor.open('/traces');
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Recorded share in percent').fill('100');
  await dialog.getByLabel('Record questions, prompts and answers').check();
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await visitor.open(`/indexes/${index}/chat`);
  await page.getByRole('textbox', { name: 'Question' }).fill('How long is the north quay?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Bad answer' }).click();
  await visitor.expectAccessible();

  // Traces are stored after the answer.
  const isRecorded = async () => {
    await visitor.open('/traces');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'Bad answer' });
    await page.getByRole('heading', { name: 'No traces' }).or(page.getByRole('table')).first().waitFor();
    return page.getByRole('link', { name: 'How long is the north quay?' }).count();
  };
  await eventually(isRecorded).toBe(1);
  await visitor.expectAccessible();
  await page.getByRole('link', { name: 'How long is the north quay?' }).click();
  await page.getByRole('cell', { name: /The north quay is 140 metres long/ }).waitFor();
  await page.getByRole('heading', { name: 'Answer', exact: true }).waitFor();
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor();
  await eventually(isRecorded).toBe(0);
  await visitor.end();
});
