import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPdf, text } from '../../test/fixtures/pdf.ts';
import { GatedModel } from '../../test/process/gated-model.ts';
import { SyncClient } from '../../test/process/pipelines.ts';
import { Service } from '../../test/process/service.ts';
import { expectRatio } from '../../test/support/linear-time.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { TaskTimer } from './support/task-time.ts';

const model = new GatedModel();
let service: Service;
let browser: Browser;
let visitor: Visit;
let page: Page;
let index: string;
let file: string;

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'The Corran lighthouse was built by Matilda Oyelaran in 1931.') },
    { content: text(72, 650, 'The Ardgour quay is nine metres long.') },
  ],
});

beforeAll(async () => {
  const url = await model.start();
  service = new Service({
    LLM_BASE_URL: url,
    LLM_MODEL: 'gated-1',
    LLM_API_KEY: 'key',
    CHAT_RESUME_SECONDS: '300',
  });
  await service.start();
  browser = await launch();
  const pipelines = new SyncClient(service);
  index = await pipelines.createPipeline({
    name: 'Harbour',
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
    },
  });
  file = await service.upload('harbour-manual.pdf', new Uint8Array(MANUAL));
  await service.call('PUT', `/api/v1/pipelines/${index}/files`, [{ file_id: file }]);
  expect((await pipelines.sync(index)).status).toBe('SUCCESS');
}, 240_000);
afterAll(async () => {
  await browser?.close();
  model.stop();
  await service?.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
  page = visitor.page;
});
afterEach(() => visitor.end());

/** Matches the request that sends a question. The address of the chat page ends the same way. */
const ASKED = /\/api\/v1\/pipelines\/[^/]+\/chat(?:\?|$)/;
const chatPath = () => `/indexes/${index}/chat`;
const log = () => page.getByRole('log', { name: 'Conversation' });
const ask = async (question: string) => {
  const field = page.getByRole('textbox', { name: 'Question' });
  await field.fill(question);
  await field.press('Enter');
};
/** Answers the next question with a complete stream. */
const answer = async (...said: string[]) => {
  const next = await model.next();
  for (const each of said) next.say(each);
  next.end();
};
const regenerate = () => page.getByRole('button', { name: 'Regenerate' });
const QUESTION = 'Who built the Corran lighthouse?';
const ANSWER = 'Matilda Oyelaran built the Corran lighthouse [1].';
const isFocused = (name: string) =>
  page.getByRole('textbox', { name }).evaluate((element) => element === document.activeElement);

describe('conversation', () => {
  it('streams an answer and shows it again with citations after a reload', async () => {
    await visitor.open(chatPath());
    await page.getByText('Ask Harbour').waitFor();
    await visitor.expectAccessible();
    await ask(QUESTION);
    const told = await model.next();
    told.say('Matilda Oyelaran built the Corran');
    await log().getByText('Matilda Oyelaran built the Corran').waitFor();
    expect(await log().getAttribute('aria-busy')).toBe('true');
    told.say(' lighthouse [1].');
    told.end();
    await regenerate().waitFor();
    expect(await log().getAttribute('aria-busy')).toBe('false');
    await page.getByRole('status').getByText('Answer complete, 1 source').waitFor();
    await page.getByText(/^gated-1 · chunks · alpha/).waitFor();
    await visitor.expectAccessible();

    const mark = log().getByRole('button', { name: 'Source 1: harbour-manual.pdf' }).first();
    await mark.focus();
    await page.getByRole('tooltip').getByText('Matilda Oyelaran in 1931').waitFor();
    await visitor.expectAccessible();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
    await mark.click();
    const panel = page.getByRole('complementary', { name: 'harbour-manual.pdf' });
    await panel.getByRole('img', { name: 'Page 1 of harbour-manual.pdf' }).waitFor();
    await panel.locator('[data-mark] span').first().waitFor();
    await visitor.expectAccessible();
    const shared = new URL(page.url());
    expect(shared.searchParams.get('session')).toMatch(/^[0-9a-f-]{36}$/);
    expect(shared.searchParams.get('citation')).toBeTruthy();
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    expect(new URL(page.url()).searchParams.has('citation')).toBe(false);

    await page.goto(shared.href);
    await panel.locator('[data-mark] span').first().waitFor();
    await log().getByText('Matilda Oyelaran built the Corran lighthouse').waitFor();
    await panel.getByRole('button', { name: /Close/ }).click();
    await log().getByRole('button', { name: 'Source 1: harbour-manual.pdf' }).first().click();
    await panel.locator('[data-mark] span').first().waitFor();
    expect(page.url()).toBe(shared.href);
    await page.getByRole('tab', { name: 'Cited 1' }).waitFor();
    expect(await panel.getByRole('link', { name: 'Open in the file' }).getAttribute('href')).toContain(
      `/console/indexes/${index}/files/${file}?page=1&node=`,
    );
  });

  it('stops an answer and keeps its text', async () => {
    await visitor.open(chatPath());
    await ask(QUESTION);
    const told = await model.next();
    told.say('Matilda Oyelaran ');
    await log().getByText('Matilda Oyelaran').waitFor();
    await page.keyboard.press('Escape');
    await told.left;
    await log().getByText('Stopped here.').waitFor();
    expect(await isFocused('Question')).toBe(true);
    await page.reload();
    await log().getByText('Stopped here.').waitFor();
    await log().getByText('Matilda Oyelaran').waitFor();
    await log().getByRole('button', { name: 'Try again' }).click();
    await answer(ANSWER);
    await regenerate().waitFor();
    expect(await log().getByText('Stopped here.').count()).toBe(0);
  });

  it('regenerates an answer with the same parameters and keeps one question and one answer', async () => {
    await visitor.open(chatPath());
    await page.getByRole('button', { name: 'Parameters' }).click();
    const panel = page.getByRole('complementary', { name: 'Parameters' });
    await panel.getByLabel('System prompt').fill('Answer like a sailor.');
    await panel.getByLabel('Temperature').fill('0.7');
    await visitor.expectAccessible();
    await panel.getByRole('button', { name: 'Close: Parameters' }).click();
    await ask(QUESTION);
    await answer(ANSWER);
    await regenerate().click();
    await answer('It was Matilda Oyelaran [1].');
    await log().getByText('It was Matilda Oyelaran').waitFor();
    await regenerate().waitFor();
    for (const { temperature, messages } of model.asked.slice(-2)) {
      expect(temperature).toBe(0.7);
      expect(messages[0]!.content).toContain('Answer like a sailor.');
    }
    await page.reload();
    await log().getByText('It was Matilda Oyelaran').waitFor();
    expect(await log().getByRole('heading', { name: 'Answer' }).count()).toBe(1);
    expect(await log().getByRole('heading', { name: 'You asked' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Parameters, 2 set' }).waitFor();
  });

  it('resumes a running answer after a reload', async () => {
    await visitor.open(chatPath());
    await ask(QUESTION);
    const told = await model.next();
    told.say('Matilda Oyelaran built ');
    await log().getByText('Matilda Oyelaran built').waitFor();
    await page.reload();
    await log().getByText('Matilda Oyelaran built').waitFor();
    told.say('the Corran lighthouse [1].');
    told.end();
    await regenerate().waitFor();
    expect(await log().getByText('Matilda Oyelaran built the Corran lighthouse').count()).toBe(1);
  });

  it('can be renamed and deleted', async () => {
    await visitor.open(chatPath());
    await ask('How long is the Ardgour quay?');
    await answer('Nine metres [1].');
    await regenerate().waitFor();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('button', { name: 'Actions: How long is the Ardgour quay?' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('The quay');
    await visitor.expectAccessible();
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Actions: The quay' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await visitor.expectAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => list.getByText('The quay').count()).toBe(0);
    expect(new URL(page.url()).searchParams.has('session')).toBe(false);
  });
});

describe('failure', () => {
  const failing = {
    detail: 'The model is asleep.',
    code: 'upstream',
    request_id: 'request-1',
    retryable: true,
  };

  it('before the stream is shown with the service message and can be retried', async () => {
    visitor.expectErrors('502');
    await page.route(ASKED, (route) => route.fulfill({ status: 502, json: failing }), { times: 1 });
    await visitor.open(chatPath());
    await ask(QUESTION);
    const alert = page.getByRole('alert');
    await alert.getByText('The model is asleep.').waitFor();
    await alert.getByText('request-1').waitFor();
    await visitor.expectAccessible();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await answer(ANSWER);
    await regenerate().waitFor();
    expect(await alert.count()).toBe(0);
    await page.reload();
    await regenerate().waitFor();
    expect(await log().getByRole('heading', { name: 'You asked' }).count()).toBe(1);
  });

  it('within the stream keeps the text and shows the reason', async () => {
    await visitor.open(chatPath());
    await ask(QUESTION);
    const told = await model.next();
    told.say('Matilda Oyelaran ');
    await log().getByText('Matilda Oyelaran').waitFor();
    told.cut();
    await page
      .getByRole('alert')
      .getByText(/could not be completed/)
      .waitFor();
    await log().getByText('The answer failed here.').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await answer(ANSWER);
    await regenerate().waitFor();
  });

  it('of the connection is shown as interrupted if the stream cannot resume', async () => {
    const cut = (route: Route) =>
      route.fulfill({
        headers: { 'content-type': 'text/event-stream' },
        body: buildStream(['Half of an ans']),
      });
    await page.route(ASKED, cut, { times: 1 });
    await visitor.open(chatPath());
    await ask(QUESTION);
    await log().getByText('Half of an ans').waitFor();
    await log().getByText('Cut off here.').waitFor();
    await visitor.expectAccessible();
    await log().getByRole('button', { name: 'Try again' }).click();
    await answer(ANSWER);
    await regenerate().waitFor();
    expect(await log().getByText('Half of an ans').count()).toBe(0);
  });

  it('of the session asks for the key and keeps the question', async () => {
    visitor.expectErrors('401');
    await visitor.open(chatPath());
    await page.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
    await visitor.context.clearCookies();
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('API key').fill(service.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await answer(ANSWER);
    await regenerate().waitFor();
  });
});

it('shows which citations were removed and why', async () => {
  await visitor.open(chatPath());
  await ask(QUESTION);
  await answer('Matilda Oyelaran built it [1]. She was born in 1899 [1].');
  await page.getByText('1 citation was removed because its passage does not support the statement').click();
  await page.getByText('“She was born in 1899.”: the passage does not contain the number 1899').waitFor();
  expect(
    await log()
      .getByRole('button', { name: /^Source 1/ })
      .count(),
  ).toBe(1);
});

it('shows hostile Markdown as text', async () => {
  const HOSTILE = [
    'Matilda Oyelaran <img src=x onerror="window.hurt=1"> built',
    ' <script>window.hurt=1</script> it.\n\n[first](javascript:window.hurt=1) [second](data:text/html,hurt) ',
    '![leak](https://example.invalid/leak.png?q=1) [third](https://example.invalid/)\n\n<iframe src="/docs"></iframe>',
  ];
  await visitor.open(chatPath());
  await ask(QUESTION);
  await answer(...HOSTILE);
  await regenerate().waitFor();
  expect(await log().locator('img, script, iframe').count()).toBe(0);
  const links = await log()
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['https://example.invalid/']);
  await log().getByText('onerror="window.hurt=1"').waitFor();
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
  await page.getByText('The answer cites none of the retrieved passages.').waitFor();
  await page.getByRole('tab', { name: /^Retrieved [1-9]/ }).click();
  await page
    .getByRole('tabpanel')
    .getByRole('button', { name: /harbour-manual.pdf page 1/ })
    .waitFor();
  await visitor.expectAccessible();
});

it('renders a burst of pieces in time proportional to their number', async () => {
  let body = '';
  await page.route(ASKED, (route) =>
    route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body }),
  );
  const measureBurst = async (count: number) => {
    const pieces = Array.from({ length: count }, (_, n) => `word${n}${n % 40 === 39 ? '\n\n' : ' '}`);
    body = `${buildStream(pieces, { model: 'builtin/extract-1' })}data: {"type":"finish","messageMetadata":{"complete":true}}\n\ndata: [DONE]\n\n`;
    await visitor.open(chatPath());
    await page.getByRole('textbox', { name: 'Question' }).waitFor();
    const timer = await TaskTimer.start(page);
    const seconds = await timer.measure(async () => {
      await ask(QUESTION);
      await log()
        .getByText(`word${count - 1}`)
        .waitFor();
      await regenerate().waitFor();
    });
    await timer.stop();
    return seconds;
  };
  await expectRatio(
    () => measureBurst(4_000),
    () => measureBurst(1_000),
  );
  await page.getByText('builtin/extract-1').click();
  await page.getByText(/the operator sets LLM_BASE_URL/).waitFor();
});

it('works by keyboard in dark mode in a narrow window', async () => {
  await visitor.end();
  visitor = await visit(browser, service, { colorScheme: 'dark', viewport: { width: 360, height: 740 } });
  page = visitor.page;
  await visitor.open(chatPath());
  await ask(QUESTION);
  await answer(ANSWER);
  await regenerate().waitFor();
  await visitor.expectAccessible();
  const reach = async (name: string | RegExp) => {
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Shift+Tab');
      const at = page.getByRole('button', { name }).first();
      if (await at.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error(`no way by keys to ${name}`);
  };
  await reach(/^Source 1/);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'harbour-manual.pdf' });
  await panel.locator('[data-mark] span').first().waitFor();
  await visitor.expectAccessible();
  await page.keyboard.press('Escape');
  await expect.poll(() => panel.count()).toBe(0);
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  expect(focused).toBe('Source 1: harbour-manual.pdf');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

it('a retriever can be created, searched, used in chat, changed and deleted', async () => {
  await visitor.open('/retrievers');
  await page.getByText('Create your first retriever').waitFor();
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'New retriever' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Everything');
  await dialog.getByLabel('Harbour', { exact: true }).check();
  await dialog.getByLabel('Description of Harbour').fill('Manuals of the harbour');
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor();
  await page.getByRole('textbox', { name: 'Question' }).fill('Ardgour quay');
  await page.keyboard.press('Enter');
  await page.getByText('The Ardgour quay is nine metres long.').waitFor();
  await page.getByRole('link', { name: 'Harbour' }).first().waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('Ardgour quay');
  await visitor.expectAccessible();

  await page.getByRole('tab', { name: 'Chat' }).click();
  await ask(QUESTION);
  await answer(ANSWER);
  await regenerate().waitFor();
  await log()
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .click();
  await page.getByRole('complementary').locator('[data-mark] span').first().waitFor();
  await visitor.expectAccessible();
  await page.reload();
  await page.getByRole('complementary').locator('[data-mark] span').first().waitFor();
  await log().getByText('Matilda Oyelaran built').waitFor();

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Name').fill('All of it');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'All of it' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Create your first retriever').waitFor();
});

/** Builds the beginning of a stream with these pieces of text. The stream has no end. */
function buildStream(pieces: string[], messageMetadata?: object): string {
  const chunks = [
    { type: 'start', messageId: crypto.randomUUID(), messageMetadata },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    ...pieces.map((delta) => ({ type: 'text-delta', id: 't', delta })),
  ];
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}
