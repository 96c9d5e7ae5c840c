import { it } from 'vitest';
import { ANSWER, QUESTION, setUpChatPage } from './support/chat-page.ts';
import { eventually } from './support/papers.ts';

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
