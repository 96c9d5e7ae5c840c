import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
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
beforeEach(async () => {
  visitor = await visit(browser, service, { signedIn: false });
});
afterEach(() => visitor.end());

const enter = async (key: string) => {
  await visitor.page.getByLabel('API key').fill(key);
  await visitor.page.getByRole('button', { name: 'Sign in' }).click();
};
const heading = (name: string) => visitor.page.getByRole('heading', { level: 1, name });

it('rejects a wrong key with a message, and leads to the requested page after signing in', async () => {
  visitor.expectErrors('401');
  await visitor.open('/keys?from=a-link');
  await visitor.expectAccessible();
  await enter('slc_no_such_key');
  const field = visitor.page.getByLabel('API key');
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await visitor.expectAccessible();
  await enter(service.key);
  await visitor.page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(visitor.page.url()).toBe(`${service.base}/console/keys?from=a-link`);
  await visitor.page.reload();
  await visitor.page.getByRole('navigation', { name: 'Main' }).waitFor();
});

it('hides the session from scripts and stores no key', async () => {
  visitor.expectErrors('401');
  await visitor.open('/');
  await enter(service.key);
  await heading('Indexes').waitFor();
  const [cookie] = await visitor.context.cookies();
  expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict' });
  const kept = await visitor.page.evaluate(() => [
    document.cookie,
    ...Object.values(localStorage),
    ...Object.values(sessionStorage),
    ...[...document.querySelectorAll('input')].map(({ value }) => value),
  ]);
  expect(kept.join('')).toBe('');
});

it('signs out', async () => {
  visitor.expectErrors('401');
  await visitor.open('/');
  await enter(service.key);
  await visitor.page.getByRole('button', { name: 'Sign out' }).click();
  await visitor.page.getByLabel('API key').waitFor();
  expect(await visitor.context.cookies()).toEqual([]);
});
