import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launch, signIn } from '../console/test/support/browser.ts';
import { type Furnished, furnish } from '../console/test/support/furnished.ts';
import { Service } from '../test/process/service.ts';

// Takes screenshots of every screen at three widths, in light and in dark mode (`npm run console:shots`). `ONLY=chat`
// selects the screens whose name contains that word.

const FOLDER = 'console/shots';
const ONLY = process.env.ONLY ?? '';

/** Widths and heights of a desktop, a small laptop or tablet, and a phone, in CSS pixels. */
const WINDOWS = [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const;
const SCHEMES = ['light', 'dark'] as const;
const LOOKS = WINDOWS.flatMap(([width, height]) =>
  SCHEMES.map((colorScheme) => ({
    name: `${width}-${colorScheme}`,
    colorScheme,
    viewport: { width, height },
  })),
);

const screens = ({ pipelineId, fileId, projectFileId }: Furnished): Record<string, string> => ({
  indexes: '/indexes',
  overview: `/indexes/${pipelineId}`,
  'index-files': `/indexes/${pipelineId}/files`,
  inspector: `/indexes/${pipelineId}/files/${fileId}`,
  'index-sources': `/indexes/${pipelineId}/sources`,
  playground: `/indexes/${pipelineId}/playground?q=When+does+the+sluice+open%3F`,
  chat: `/indexes/${pipelineId}/chat`,
  runs: `/indexes/${pipelineId}/runs`,
  settings: `/indexes/${pipelineId}/settings`,
  files: '/files',
  file: `/files/${projectFileId}`,
  parse: '/parse',
  extract: '/extract',
  classify: '/classify',
  batches: '/batches',
  'new-batch': '/batches/new',
  retrievers: '/retrievers',
  evaluations: '/evaluations',
  traces: '/traces',
  connections: '/connections',
  webhooks: '/webhooks',
  usage: '/usage',
  keys: '/keys',
  team: '/team',
  'audit-log': '/audit-log',
  projects: '/projects',
  about: '/about',
  nothing: '/no-such-page',
});

async function draw(browser: Browser, service: Service, furnished: Furnished): Promise<void> {
  for (const { name: look, ...options } of LOOKS) {
    const context = await browser.newContext({ baseURL: service.base, deviceScaleFactor: 1, ...options });
    await signIn(context, service);
    const page = await context.newPage();
    for (const [name, path] of Object.entries(screens(furnished))) {
      if (!name.includes(ONLY)) continue;
      await page.goto(`/console${path}`);
      await page.locator('h1').waitFor();
      // Images and numbers load after the heading. Content that has not arrived within the timeout is
      // captured as it is.
      await page.waitForLoadState('networkidle', { timeout: 15_000 }).catch(() => {});
      await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
      console.log(`${FOLDER}/${name}-${look}.png`);
    }
    await context.close();
  }
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const service = new Service();
try {
  await service.start();
  const furnished = await furnish(service);
  const browser = await launch();
  await draw(browser, service, furnished);
  await browser.close();
} finally {
  await service.end();
}
