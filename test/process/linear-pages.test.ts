import { describe, it } from 'vitest';
import type { Block, Page, Word } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { PrintedPage } from '#src/extraction/printed-page.ts';
import { placeBlocks } from '#src/reading/place-blocks.ts';
import { expectLinear } from '#test/support/linear-time.ts';

// These tests measure CPU time. They run in Node because the clock of a Worker stands still while the Worker computes.

it('placing blocks takes linear time on a page that repeats itself', async () => {
  await expectLinear((lines) => {
    const words = Array.from(
      { length: 30 * lines },
      (_, at): Word => ['a', 10 * (at % 6), 20 * Math.floor(at / 6), 10, 12],
    );
    const markdown = Array.from({ length: lines }, () => 'a a a a a a').join('\n\n');
    placeBlocks(splitMarkdown(markdown), { words, blocks: [] });
  }, 5_000);
});

/** A page whose blocks lie over each other and repeat the same words; each block has an equal share of the texts. */
function overlappingPage(texts: string[], blockCount: number): Page {
  const words = texts.map((text, at): Word => [text, at % 500, Math.floor(at / 500), 1, 1]);
  const markdown = texts.slice(0, texts.length / blockCount).join(' ');
  const box = { x: 0, y: 0, w: 290, h: 500 };
  const blocks = Array.from(
    { length: blockCount },
    (): Block => ({ type: 'paragraph', text: markdown, markdown, box }),
  );
  const text = blocks.map((block) => block.markdown).join('\n\n');
  const size = { width: 600, height: 800 };
  return { index: 0, label: '1', ...size, text, markdown: text, blocks, words, links: [], figures: [] };
}

describe('finding boxes of chunks takes linear time', () => {
  it.each([
    ['where many words are alike', () => 'aa', 100_000],
    ['where many blocks lie over each other', (at: number) => `w${at}`, 20],
  ])('%s', async (_, wordAt, wordsPerBlock) => {
    const pages = new Map(
      [12_500, 100_000].map((count) => {
        const texts = Array.from({ length: count }, (_, at) => wordAt(at));
        return [count, overlappingPage(texts, Math.max(1, count / wordsPerBlock))];
      }),
    );
    await expectLinear((count) => {
      const page = pages.get(count)!;
      const print = new PrintedPage(
        page.markdown,
        { start: 0, end: page.markdown.length },
        page,
        page.blocks,
      );
      for (let at = 0; at < 20; at += 1) print.findBoxes({ start: at * 3_000, end: (at + 1) * 3_000 });
    }, 50_000);
  });
});
