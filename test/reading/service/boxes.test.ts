import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { buildPdf, line, paragraph, rotatedText, text } from '#test/fixtures/pdf.ts';
import { upload } from '#test/support/client.ts';
import { parseWith } from '#test/support/ledger.ts';
import { PageModel } from '#test/support/page-model.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
  // The model returns the parser's text unchanged.
  model.answer = ({ fenced: [own = ''] }) => own;
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns lines of unique words. */
const lines = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}a${n} ${name}b${n} ${name}c${n} ${name}d${n} ${name}e${n}`);

const rules = [
  ...[700, 670, 640, 610].map((y) => line(72, y, 372, y)),
  ...[72, 172, 272, 372].map((x) => line(x, 610, x, 700)),
];
const cells = [0, 1, 2].flatMap((row) =>
  [0, 1, 2].map((column) => text(80 + 100 * column, 680 - 30 * row, `cell${row}${column}`)),
);
const PAGES = {
  columns: {
    content:
      text(72, 740, 'Harbours Compared', 20) +
      paragraph(72, 700, lines('left', 12)) +
      paragraph(330, 700, lines('right', 12)),
  },
  table: {
    content: rules.join('') + cells.join('') + paragraph(72, 560, lines('below', 3)),
  },
  rotated: {
    rotate: 90,
    content:
      rotatedText(60, 72, 'Harbours Turned', 90, 20) +
      lines('turned', 4)
        .map((each, n) => rotatedText(110 + 16 * n, 72, each, 90))
        .join(''),
  },
};
const SIZES = { columns: [612, 792], table: [612, 792], rotated: [792, 612] };

const MODES: Record<string, ParseParameters> = {
  layout: {},
  corrected: { parse_mode: 'parse_page_with_llm' },
  vision: { parse_mode: 'parse_page_with_lvm' },
  agentic: { tier: 'agentic' },
  document: { tier: 'agentic_plus' },
};
const splitIntoTokens = (words: string) => words.match(/[A-Za-z0-9]+/g) ?? [];

describe.each(Object.keys(PAGES) as (keyof typeof PAGES)[])('the boxes of a page with %s', (name) => {
  it.each(Object.entries(MODES))(
    'enclose exactly the words of each block in mode %s',
    async (mode, parameters) => {
      const bytes = buildPdf({ pages: [PAGES[name]], info: { Title: crypto.randomUUID() } });
      const { ctx, key } = await parseWith(await upload('boxes.pdf', bytes), parameters);
      const { width, height, words, blocks, readBy } = (await readPage(ctx.bucket, key, 0))!;
      expect([width, height]).toEqual(SIZES[name]);
      expect(readBy?.mode ?? 'layout').toBe(mode);
      for (const { text: said, box } of blocks) {
        expect(box, said).toBeDefined();
        const { x, y, w, h } = box!;
        expect(Math.min(x, y, w, h, width - x - w, height - y - h), said).toBeGreaterThanOrEqual(0);
        const within = words.filter(([, left, top, wide, high]) => {
          const [across, down] = [left + wide / 2 - x, top + high / 2 - y];
          return across >= 0 && across <= w && down >= 0 && down <= h;
        });
        expect(within.flatMap(([word]) => splitIntoTokens(word)).toSorted()).toEqual(
          splitIntoTokens(said).toSorted(),
        );
      }
      expect(blocks.length).toBeGreaterThan(1);
      const all = blocks.flatMap((block) => splitIntoTokens(block.text));
      expect(all.toSorted()).toEqual(words.flatMap(([word]) => splitIntoTokens(word)).toSorted());
    },
  );
});
