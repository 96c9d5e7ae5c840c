import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { launch } from '../../../console/test/support/chromium.ts';
import { freePort } from '../service.ts';
import { SharedService } from '../shared-client.ts';
import { findMissingLine, LANGUAGES, Tutorial } from './tutorial.ts';
import { Workspace } from './workspace.ts';

const VITE = resolve('node_modules/vite/bin/vite.js');
const tutorial = new Tutorial('chat-in-react');
const service = new SharedService();
let workspace: Workspace;
let browser: Browser;
let preview: ChildProcess | undefined;

beforeAll(async () => {
  await service.start();
  browser = await launch();
  workspace = new Workspace(service.key, service.base);
  for (const commands of tutorial.labelled('Terminal')) await workspace.terminal(commands);
  workspace.linkPackages();
  for (const { path, content } of tutorial.files()) workspace.write(path, content);
});
afterAll(async () => {
  preview?.kill('SIGKILL');
  await browser?.close();
  workspace?.end();
});

it.each(LANGUAGES)('creates the index and page variables in %s', async (language) => {
  workspace.remove('.env');
  const { stdout, stderr } = await workspace.run(language, tutorial.program(language));
  expect(findMissingLine(tutorial.output(), stdout), `${stdout}\n${stderr}`).toBeUndefined();
  expect(stderr).toBe('');
  const [pipeline] = await service.call<{ id: string }[]>('GET', '/api/v1/pipelines');
  const variables = [
    `SLUICE_URL=${service.base}`,
    `SLUICE_API_KEY=${service.key}`,
    `SLUICE_PIPELINE=${pipeline!.id}`,
  ];
  expect(String(workspace.read('.env')).split('\n').filter(Boolean)).toEqual(variables);
});

it('shows an answer whose citation opens the page, and keeps the key out of the browser', async () => {
  await workspace.execute(process.execPath, [VITE, 'build']);
  const built = readdirSync(join(workspace.folder, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  expect(built.length).toBeGreaterThan(1);
  for (const content of built) expect(content).not.toContain(service.key);

  const port = await freePort();
  // A failed run of this test may have left one.
  preview?.kill('SIGKILL');
  preview = workspace.start(process.execPath, [
    VITE,
    'preview',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--strictPort',
  ]);
  const base = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(base).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: PATIENCE_MS },
    )
    .toBe(true);

  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('request', (request) => {
    if (JSON.stringify(request.headers()).includes(service.key))
      failures.push(`${request.url()} had the key`);
  });
  await page.goto(base);
  await page.getByLabel('Question').fill('How high is the lighthouse?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('was built in 1887 and is 42 metres high. [1]').waitFor();
  const link = page.getByRole('link', { name: '[1] harbour-manual.pdf, page 2' });
  const [picture] = await Promise.all([context.waitForEvent('page'), link.click()]);
  const drawn = picture.locator('img');
  await drawn.waitFor();
  expect(await drawn.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(600);
  expect(failures).toEqual([]);

  // Vite answers every other path with the page itself.
  for (const path of ['/api/v1/projects', '/api/chat/v1/projects', '/api/pages/x/1/metadata']) {
    expect((await fetch(base + path)).headers.get('content-type'), path).toMatch(/^text\/html/);
  }
});
