import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectRatio } from '../../test/support/linear-time.ts';
import { ANSWER, QUESTION, setUpChatPage } from './support/chat-page.ts';
import { eventually } from './support/papers.ts';
import { measureLongestTask, TaskTimer } from './support/task-time.ts';

const chat = setUpChatPage();

/** Matches the request that sends a question. The address of the chat page ends the same way. */
const ASKED = /\/api\/v1\/pipelines\/[^/]+\/chat(?:\?|$)/;

describe('failure', () => {
  const failing = {
    detail: 'The model is asleep.',
    code: 'upstream',
    request_id: 'request-1',
    retryable: true,
  };

  it('before the stream is shown with the service message and can be retried', async () => {
    chat.visitor.expectErrors('502');
    await chat.page.route(ASKED, (route) => route.fulfill({ status: 502, json: failing }), { times: 1 });
    await chat.open();
    await chat.ask(QUESTION);
    const alert = chat.page.getByRole('alert');
    await alert.getByText('The model is asleep.').waitFor();
    await alert.getByText('request-1').waitFor();
    await chat.visitor.expectAccessible();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await chat.answer(ANSWER);
    await chat.regenerate().waitFor();
    expect(await alert.count()).toBe(0);
    await chat.page.reload();
    await chat.regenerate().waitFor();
    expect(await chat.log().getByRole('heading', { name: 'You asked' }).count()).toBe(1);
  });

  it('within the stream keeps the text and shows the reason', async () => {
    await chat.open();
    await chat.ask(QUESTION);
    const told = await chat.model.next();
    told.say('Matilda Oyelaran ');
    await chat.log().getByText('Matilda Oyelaran').waitFor();
    told.cut();
    await chat.page
      .getByRole('alert')
      .getByText(/could not be completed/)
      .waitFor();
    await chat.log().getByText('The answer failed here.').waitFor();
    await chat.page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await chat.answer(ANSWER);
    await chat.regenerate().waitFor();
  });

  it('of the connection is shown as interrupted if the stream cannot resume', async () => {
    const cut = (route: Route) =>
      route.fulfill({
        headers: { 'content-type': 'text/event-stream' },
        body: buildStream(['Half of an ans']),
      });
    await chat.page.route(ASKED, cut, { times: 1 });
    await chat.open();
    await chat.ask(QUESTION);
    await chat.log().getByText('Half of an ans').waitFor();
    await chat.log().getByText('Cut off here.').waitFor();
    await chat.visitor.expectAccessible();
    await chat.log().getByRole('button', { name: 'Try again' }).click();
    await chat.answer(ANSWER);
    await chat.regenerate().waitFor();
    expect(await chat.log().getByText('Half of an ans').count()).toBe(0);
  });

  it('of the session asks for the key and keeps the question', async () => {
    chat.visitor.expectErrors('401');
    await chat.open();
    await chat.page.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
    await chat.visitor.context.clearCookies();
    await chat.page.getByRole('textbox', { name: 'Question' }).press('Enter');
    const dialog = chat.page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('API key').fill(chat.service.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await chat.page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await chat.answer(ANSWER);
    await chat.regenerate().waitFor();
  });
});

it('shows which citations were removed and why', async () => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answer('Matilda Oyelaran built it [1]. She was born in 1899 [1].');
  await chat.page
    .getByText('1 citation was removed because its passage does not support the statement')
    .click();
  await chat.page
    .getByText('“She was born in 1899.”: the passage does not contain the number 1899')
    .waitFor();
  expect(
    await chat
      .log()
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
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answer(...HOSTILE);
  await chat.regenerate().waitFor();
  expect(await chat.log().locator('img, script, iframe').count()).toBe(0);
  const links = await chat
    .log()
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['https://example.invalid/']);
  await chat.log().getByText('onerror="window.hurt=1"').waitFor();
  expect(await chat.page.evaluate(() => 'hurt' in window)).toBe(false);
  await chat.page.getByText('The answer cites none of the retrieved passages.').waitFor();
  await chat.page.getByRole('tab', { name: /^Retrieved [1-9]/ }).click();
  await chat.page
    .getByRole('tabpanel')
    .getByRole('button', { name: /harbour-manual.pdf page 1/ })
    .waitFor();
  await chat.visitor.expectAccessible();
});

it('renders a burst of pieces in time proportional to their number', async () => {
  let body = '';
  await chat.page.route(ASKED, (route) =>
    route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body }),
  );
  const measureBurst = async (count: number) => {
    const pieces = Array.from({ length: count }, (_, n) => `word${n}${n % 40 === 39 ? '\n\n' : ' '}`);
    body = `${buildStream(pieces, { model: 'builtin/extract-1' })}data: {"type":"finish","messageMetadata":{"complete":true}}\n\ndata: [DONE]\n\n`;
    await chat.open();
    await chat.page.getByRole('textbox', { name: 'Question' }).waitFor();
    const timer = await TaskTimer.start(chat.page);
    const seconds = await timer.measure(async () => {
      await chat.ask(QUESTION);
      await chat
        .log()
        .getByText(`word${count - 1}`)
        .waitFor();
      await chat.regenerate().waitFor();
    });
    await timer.stop();
    return seconds;
  };
  await expectRatio(
    () => measureBurst(4_000),
    () => measureBurst(1_000),
  );
  await chat.page.getByText('builtin/extract-1').click();
  await chat.page.getByText(/the operator sets LLM_BASE_URL/).waitFor();
});

describe('a long answer', () => {
  const PARAGRAPHS = Array.from({ length: 250 }, (_, n) => [
    `The **${n}th** berth is \`${n}\` metres long, and `,
    `takes [ships](https://example.com/${n}) of any kind.\n\n- one\n- two\n\n`,
  ]).flat();
  const END = `data: {"type":"finish","messageMetadata":{"complete":true}}\n\ndata: [DONE]\n\n`;

  /** Waits without searching the whole page for roles, which would itself be a long task. */
  const waitForText = (text: string) =>
    eventually(() =>
      chat.page.evaluate(
        (expected) =>
          document.querySelector('[aria-busy=true]') === null &&
          document.querySelector('[role=log]')?.textContent.includes(expected),
        text,
      ),
    ).toBe(true);

  /**
   * Task of the page that takes about 60 ms on a machine of two cores, which is 240 ms at a quarter of the speed. The
   * timer after it fires when the task has ended, so that a trace contains the whole task.
   */
  const spin = async () => {
    await chat.page.evaluate(() => {
      let sum = 0;
      for (let round = 0; round < 8_000_000; round += 1) sum += Math.sqrt(round) % 7;
      return sum;
    });
    await chat.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
  };

  const serveAnswer = (pieces: readonly string[]) =>
    chat.page.route(
      ASKED,
      (route) =>
        route.fulfill({
          headers: { 'content-type': 'text/event-stream' },
          body: buildStream(pieces) + END,
        }),
      { times: 1 },
    );

  /** Asserts that no task of the page is longer than the control task while an answer of these pieces streams. */
  const expectShortTasks = async (pieces: readonly string[]) => {
    await chat.open();
    await chat.page.getByRole('textbox', { name: 'Question' }).waitFor();
    const browser = chat.page.context().browser()!;
    let answers = 0;
    const readAnswer = async (part: readonly string[]) => {
      answers += 1;
      const last = `This is the end of answer ${answers}.`;
      await serveAnswer([...part, `\n\n${last}`]);
      await chat.ask(QUESTION);
      await waitForText(last);
    };
    // The first answer compiles the code that all answers need.
    await readAnswer(pieces.slice(0, 50));
    await spin();
    await expectRatio(
      () => measureLongestTask(browser, () => readAnswer(pieces)),
      () => measureLongestTask(browser, spin),
      1,
    );
  };

  it('streams without a task that blocks a slow page', () => expectShortTasks(PARAGRAPHS));

  const GROWING = {
    'a table': ['| berth | metres |\n|---|--:|\n', ...repeat(2_000, (n) => `| Berth ${n} | ${3 * n} |\n`)],
    code: ['```js\n', ...repeat(2_500, (n) => `const berth${n} = { metres: ${3 * n} };\n`), '```\n'],
    'a paragraph': repeat(10_000, (n) => `word${n} `),
    'a text with definitions': [
      '[quay]: https://example.com/quay\n\n',
      ...repeat(1_500, (n) => `Paragraph ${n} is about the [quay].\n\n`),
    ],
  };

  it.each(Object.entries(GROWING))(
    'of one block that is %s streams without such a task',
    async (_, pieces) => {
      await expectShortTasks(pieces);
      await chat.visitor.expectAccessible();
    },
  );

  it('stays in view while it grows, unless the user scrolls away', async () => {
    await chat.open();
    await chat.ask(QUESTION);
    const answer = await chat.model.next();
    const say = async (first: number, last: number) => {
      for (const piece of PARAGRAPHS.slice(2 * first, 2 * last + 2)) answer.say(piece);
      await chat.log().getByText(`${last}th berth`).waitFor();
    };
    const readScroll = () =>
      chat.page.evaluate(() => ({
        height: document.documentElement.scrollHeight,
        top: scrollY,
        distance: document.documentElement.scrollHeight - innerHeight - scrollY,
      }));
    const readDistance = async () => (await readScroll()).distance;
    await say(0, 60);
    await eventually(readDistance).toBeLessThan(160);
    await say(61, 120);
    await eventually(readDistance).toBeLessThan(160);
    await chat.page.evaluate(() => scrollTo({ top: 0 }));
    const before = await readScroll();
    await say(121, 180);
    answer.end();
    await chat.regenerate().waitFor();
    const after = await readScroll();
    expect(after.height).toBeGreaterThan(before.height);
    expect(after.top).toBe(0);
  });
});

function repeat(count: number, piece: (n: number) => string): string[] {
  return Array.from({ length: count }, (_, n) => piece(n));
}

/** Builds the beginning of a stream with these pieces of text. The stream has no end. */
function buildStream(pieces: readonly string[], messageMetadata?: object): string {
  const chunks = [
    { type: 'start', messageId: crypto.randomUUID(), messageMetadata },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    ...pieces.map((delta) => ({ type: 'text-delta', id: 't', delta })),
  ];
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}
