import { describe, expect, it } from 'vitest';
import { ANSWER, QUESTION, setUpChatPage } from './support/chat-page.ts';
import { deleteAll } from './support/papers.ts';

const chat = setUpChatPage();

describe('conversation', () => {
  it('streams an answer and shows it again with citations after a reload', async () => {
    await chat.open();
    await chat.page.getByText('Ask Harbour').waitFor();
    await chat.visitor.expectAccessible();
    await chat.ask(QUESTION);
    const told = await chat.model.next();
    told.say('Matilda Oyelaran built the Corran');
    await chat.log().getByText('Matilda Oyelaran built the Corran').waitFor();
    expect(await chat.log().getAttribute('aria-busy')).toBe('true');
    told.say(' lighthouse [1].');
    told.end();
    await chat.regenerate().waitFor();
    expect(await chat.log().getAttribute('aria-busy')).toBe('false');
    await chat.page.getByRole('status').getByText('Answer complete, 1 source').waitFor();
    await chat.page.getByText(/^gated-1 · chunks · alpha/).waitFor();
    await chat.visitor.expectAccessible();

    const mark = chat.log().getByRole('button', { name: 'Source 1: harbour-manual.pdf' }).first();
    await mark.focus();
    await chat.page.getByRole('tooltip').getByText('Matilda Oyelaran in 1931').waitFor();
    await chat.visitor.expectAccessible();
    await chat.page.keyboard.press('Escape');
    await expect.poll(() => chat.page.getByRole('tooltip').count()).toBe(0);
    await mark.click();
    const panel = chat.page.getByRole('complementary', { name: 'harbour-manual.pdf' });
    await panel.getByRole('img', { name: 'Page 1 of harbour-manual.pdf' }).waitFor();
    await panel.locator('[data-mark] span').first().waitFor();
    await chat.visitor.expectAccessible();
    const shared = new URL(chat.page.url());
    expect(shared.searchParams.get('session')).toMatch(/^[0-9a-f-]{36}$/);
    expect(shared.searchParams.get('citation')).toBeTruthy();
    await chat.page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    expect(new URL(chat.page.url()).searchParams.has('citation')).toBe(false);

    await chat.page.goto(shared.href);
    await panel.locator('[data-mark] span').first().waitFor();
    await chat.log().getByText('Matilda Oyelaran built the Corran lighthouse').waitFor();
    await panel.getByRole('button', { name: /Close/ }).click();
    await chat.log().getByRole('button', { name: 'Source 1: harbour-manual.pdf' }).first().click();
    await panel.locator('[data-mark] span').first().waitFor();
    expect(chat.page.url()).toBe(shared.href);
    await chat.page.getByRole('tab', { name: 'Cited 1' }).waitFor();
    expect(await panel.getByRole('link', { name: 'Open in the file' }).getAttribute('href')).toContain(
      `/console/indexes/${chat.index}/files/${chat.file}?page=1&node=`,
    );
  });

  it('stops an answer and keeps its text', async () => {
    await chat.open();
    await chat.ask(QUESTION);
    const told = await chat.model.next();
    told.say('Matilda Oyelaran ');
    await chat.log().getByText('Matilda Oyelaran').waitFor();
    await chat.page.keyboard.press('Escape');
    await told.left;
    await chat.log().getByText('Stopped here.').waitFor();
    expect(await chat.isFocused('Question')).toBe(true);
    await chat.page.reload();
    await chat.log().getByText('Stopped here.').waitFor();
    await chat.log().getByText('Matilda Oyelaran').waitFor();
    await chat.log().getByRole('button', { name: 'Try again' }).click();
    await chat.answer(ANSWER);
    await chat.regenerate().waitFor();
    expect(await chat.log().getByText('Stopped here.').count()).toBe(0);
  });

  it('regenerates an answer with the same parameters and keeps one question and one answer', async () => {
    await chat.open();
    await chat.page.getByRole('button', { name: 'Parameters' }).click();
    const panel = chat.page.getByRole('complementary', { name: 'Parameters' });
    await panel.getByLabel('System prompt').fill('Answer like a sailor.');
    await panel.getByLabel('Temperature').fill('0.7');
    await chat.visitor.expectAccessible();
    await panel.getByRole('button', { name: 'Close: Parameters' }).click();
    await chat.ask(QUESTION);
    await chat.answer(ANSWER);
    await chat.regenerate().click();
    await chat.answer('It was Matilda Oyelaran [1].');
    await chat.log().getByText('It was Matilda Oyelaran').waitFor();
    await chat.regenerate().waitFor();
    for (const { temperature, messages } of chat.model.asked.slice(-2)) {
      expect(temperature).toBe(0.7);
      expect(messages[0]!.content).toContain('Answer like a sailor.');
    }
    await chat.page.reload();
    await chat.log().getByText('It was Matilda Oyelaran').waitFor();
    expect(await chat.log().getByRole('heading', { name: 'Answer' }).count()).toBe(1);
    expect(await chat.log().getByRole('heading', { name: 'You asked' }).count()).toBe(1);
    await chat.page.getByRole('button', { name: 'Parameters, 2 set' }).waitFor();
  });

  it('resumes a running answer after a reload', async () => {
    await chat.open();
    await chat.ask(QUESTION);
    const told = await chat.model.next();
    told.say('Matilda Oyelaran built ');
    await chat.log().getByText('Matilda Oyelaran built').waitFor();
    await chat.page.reload();
    await chat.log().getByText('Matilda Oyelaran built').waitFor();
    told.say('the Corran lighthouse [1].');
    told.end();
    await chat.regenerate().waitFor();
    expect(await chat.log().getByText('Matilda Oyelaran built the Corran lighthouse').count()).toBe(1);
  });

  it('can be renamed and deleted', async () => {
    await chat.open();
    await chat.ask('How long is the Ardgour quay?');
    await chat.answer('Nine metres [1].');
    await chat.regenerate().waitFor();
    const list = chat.page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('button', { name: 'Actions: How long is the Ardgour quay?' }).click();
    await chat.page.getByRole('menuitem', { name: 'Rename' }).click();
    await chat.page.getByRole('textbox', { name: 'Name' }).fill('The quay');
    await chat.visitor.expectAccessible();
    await chat.page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Actions: The quay' }).click();
    await chat.page.getByRole('menuitem', { name: 'Delete' }).click();
    await chat.visitor.expectAccessible();
    await chat.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => list.getByText('The quay').count()).toBe(0);
    expect(new URL(chat.page.url()).searchParams.has('session')).toBe(false);
  });
});

it('works by keyboard in dark mode in a narrow window', async () => {
  await chat.visitor.end();
  await chat.visit({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answer(ANSWER);
  await chat.regenerate().waitFor();
  await chat.visitor.expectAccessible();
  const reach = async (name: string | RegExp) => {
    for (let step = 0; step < 40; step += 1) {
      await chat.page.keyboard.press('Shift+Tab');
      const at = chat.page.getByRole('button', { name }).first();
      if (await at.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error(`no way by keys to ${name}`);
  };
  await reach(/^Source 1/);
  await chat.page.keyboard.press('Enter');
  const panel = chat.page.getByRole('complementary', { name: 'harbour-manual.pdf' });
  await panel.locator('[data-mark] span').first().waitFor();
  await chat.visitor.expectAccessible();
  await chat.page.keyboard.press('Escape');
  await expect.poll(() => panel.count()).toBe(0);
  const focused = await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  expect(focused).toBe('Source 1: harbour-manual.pdf');
  const overflow = await chat.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

it('a retriever can be created, searched, used in chat, changed and deleted', async () => {
  await deleteAll(chat.service, '/api/v1/retrievers');
  await chat.visitor.open('/retrievers');
  await chat.page.getByText('Create your first retriever').waitFor();
  await chat.visitor.expectAccessible();
  await chat.page.getByRole('button', { name: 'New retriever' }).click();
  const dialog = chat.page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Everything');
  await dialog.getByLabel('Harbour', { exact: true }).check();
  await dialog.getByLabel('Description of Harbour').fill('Manuals of the harbour');
  await chat.visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await chat.page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor();
  await chat.page.getByRole('textbox', { name: 'Question' }).fill('Ardgour quay');
  await chat.page.keyboard.press('Enter');
  await chat.page.getByText('The Ardgour quay is nine metres long.').waitFor();
  await chat.page.getByRole('link', { name: 'Harbour' }).first().waitFor();
  expect(new URL(chat.page.url()).searchParams.get('q')).toBe('Ardgour quay');
  await chat.visitor.expectAccessible();

  await chat.page.getByRole('tab', { name: 'Chat' }).click();
  await chat.ask(QUESTION);
  await chat.answer(ANSWER);
  await chat.regenerate().waitFor();
  await chat
    .log()
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .click();
  await chat.page.getByRole('complementary').locator('[data-mark] span').first().waitFor();
  await chat.visitor.expectAccessible();
  await chat.page.reload();
  await chat.page.getByRole('complementary').locator('[data-mark] span').first().waitFor();
  await chat.log().getByText('Matilda Oyelaran built').waitFor();

  await chat.page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Name').fill('All of it');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await chat.page.getByRole('heading', { level: 1, name: 'All of it' }).waitFor();
  await chat.page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await chat.page.getByText('Create your first retriever').waitFor();
});
