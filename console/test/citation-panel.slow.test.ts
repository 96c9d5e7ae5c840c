import { expect, it } from 'vitest';
import { ANSWER, QUESTION, setUpChatPage } from './support/chat-page.ts';
import { eventually, newIndex, synced } from './support/papers.ts';

const chat = setUpChatPage();

const WIDTHS = [320, 390, 600, 1024, 1100, 1440];

it('shows each row of the citation panel below the one before, in every width', async () => {
  await chat.open();
  await chat.ask(QUESTION);
  await chat.answer(ANSWER);
  await chat.regenerate().waitFor();
  await chat
    .log()
    .getByRole('button', { name: /^Source 1/ })
    .click();
  const panel = chat.page.getByRole('complementary', { name: 'harbour-manual.pdf' });
  await panel.locator('figure[data-state=shown]').waitFor();
  await panel.getByRole('link', { name: 'Open in the file' }).waitFor();
  for (const width of WIDTHS) {
    await chat.page.setViewportSize({ width, height: 700 });
    const measure = () =>
      panel.evaluate((aside) => {
        const rows = [...aside.children] as HTMLElement[];
        const covered = rows.filter((row, position) => {
          const before = rows[position - 1]?.getBoundingClientRect();
          return before !== undefined && row.getBoundingClientRect().top < before.bottom;
        });
        // The point in the middle of a control belongs to the control after scrolling to it.
        const controls = [...aside.querySelectorAll<HTMLElement>('h2, button, a, section h3, section p')];
        const unreachable = controls.filter((control) => {
          control.scrollIntoView({ block: 'center' });
          const { left, top, width: across, height: down } = control.getBoundingClientRect();
          const hit = document.elementFromPoint(left + across / 2, top + down / 2);
          return hit === null || !control.contains(hit);
        });
        const { left, right } = aside.getBoundingClientRect();
        return {
          covered: covered.map(({ tagName }) => tagName),
          unreachable: unreachable.map(({ tagName, textContent }) => `${tagName} ${textContent}`),
          isInside: left >= 0 && right <= innerWidth,
          isPictureWhole: rows.every((row) => row.clientHeight >= row.scrollHeight),
          overflow: document.documentElement.scrollWidth - innerWidth,
        };
      });
    await eventually(measure).toEqual({
      covered: [],
      unreachable: [],
      isInside: true,
      isPictureWhole: true,
      overflow: 0,
    });
    await chat.visitor.expectAccessible();
  }
});

it('marks the quoted sentence in a text without pages, and scrolls to it', async () => {
  // The whole text is one passage, which is longer than the panel.
  const index = await newIndex(chat.service, `Minutes ${crypto.randomUUID()}`, {
    transform_config: { mode: 'auto', chunk_size: 2048, chunk_overlap: 0 },
  });
  const lines = Array.from({ length: 120 }, (_, n) => `Berth ${n} takes ships of ${3 * n} metres.`);
  lines[90] = 'The **Corran lighthouse** was built by Matilda Oyelaran in 1931.';
  const quoted = 'The Corran lighthouse was built by Matilda Oyelaran in 1931';
  const body = [{ id: 'minutes', text: lines.join('\n\n'), metadata: { file_name: 'minutes' } }];
  await chat.service.call('POST', `/api/v1/pipelines/${index}/documents`, body);
  await synced(chat.service, index);
  await chat.visitor.open(`/indexes/${index}/chat`);
  await chat.ask(QUESTION);
  await chat.answer(`${quoted} [1].`);
  await chat.regenerate().waitFor();
  const listed = chat.page.getByRole('tabpanel').locator('mark');
  await eventually(() => listed.allTextContents()).toEqual([quoted]);
  await chat.visitor.expectAccessible();

  const open = async () => {
    const panel = chat.page.getByRole('complementary').filter({ hasText: 'The passage' });
    const marks = panel.locator('mark');
    await eventually(async () => (await marks.allTextContents()).join('')).toBe(quoted);
    // The sentence is only visible after scrolling.
    const isVisible = () =>
      marks.first().evaluate((mark) => {
        const { left, top, width, height } = mark.getBoundingClientRect();
        return mark.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
    await eventually(isVisible).toBe(true);
    expect(await panel.evaluate((aside) => aside.scrollTop)).toBeGreaterThan(0);
    const colours = await panel.evaluate((aside) => {
      const rest = aside.querySelector('section p')!;
      return [rest, aside.querySelector('mark')!].map((each) => getComputedStyle(each).color);
    });
    expect(new Set(colours).size).toBe(2);
    await chat.visitor.expectAccessible();
  };
  await chat
    .log()
    .getByRole('button', { name: /^Source 1/ })
    .click();
  await open();
  // A stored conversation marks the sentence as well.
  await chat.page.reload();
  await open();
});
