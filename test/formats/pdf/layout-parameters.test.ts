import { describe, expect, it } from 'vitest';
import type { Box, Page } from '#src/documents/document.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { grid, paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, withDocument } from './helpers.ts';

const bottom = ({ y, h }: Box) => y + h;

describe('bounding boxes', () => {
  const content =
    text(72, 740, 'Harbours', 24) +
    paragraph(72, 700, ['Ships enter the harbour', 'from the west and leave', 'to the north again.']) +
    text(72, 600, '- one', 10) +
    text(72, 588, '- two', 10);
  const lines = ({ blocks }: Page) => blocks.map((block) => block.lines?.map(([line]) => line));

  it('are returned per line on request', async () => {
    expect(lines(await readOne(content))).toEqual([undefined, undefined, undefined]);
    const page = await readOne(content, { line_level_bounding_box: true });
    expect(lines(page)).toEqual([
      ['Harbours'],
      ['Ships enter the harbour', 'from the west and leave', 'to the north again.'],
      ['- one', '- two'],
    ]);
    const [first, second, third] = page.blocks[1]!.lines!;
    expect([second![2] - first![2], third![2] - second![2]]).toEqual([
      expect.closeTo(12, 1),
      expect.closeTo(12, 1),
    ]);
    expect([first![1], first![2]]).toEqual([page.blocks[1]!.box!.x, page.blocks[1]!.box!.y]);
  });

  it('of rotated lines match the displayed page', async () => {
    const turned = { line_level_bounding_box: true, precise_bounding_box: true };
    const vertical = `BT /F1 12 Tf 0 1 -1 0 500 300 Tm (Along the edge) Tj ET\n`;
    const page = await readOne(content + vertical, turned);
    const [, x, y, w, h] = page.blocks.at(-1)!.lines![0]!;
    expect([x > 480, x + w < 510, bottom({ x, y, w, h }) < 495, h > 4 * w]).toEqual([true, true, true, true]);
  });

  it('end at the ink in precise mode', async () => {
    const flat = text(72, 700, 'nnn xxx', 20);
    const [usual, precise] = [await readOne(flat), await readOne(flat, { precise_bounding_box: true })];
    const [word, inked] = [usual.words[0]!, precise.words[0]!];
    // Letters without ascenders and descenders stand on the baseline, 92 points below the top of the page.
    expect(word[2] + word[4]).toBeGreaterThan(93);
    expect(inked[2] + inked[4]).toBeCloseTo(92, 0);
    expect(inked[4]).toBeLessThan(0.7 * word[4]);
    expect(bottom(precise.blocks[0]!.box!)).toBeCloseTo(92, 0);
    expect(precise.blocks[0]!.box!.h).toBeLessThan(0.7 * usual.blocks[0]!.box!.h);
    expect(precise.markdown).toBe(usual.markdown);
  });

  it('are omitted without layout extraction', async () => {
    const parameters = { extract_layout: false, line_level_bounding_box: true };
    const page = await readOne(content, parameters);
    expect(page.blocks).toHaveLength(3);
    for (const block of page.blocks) expect(block).not.toHaveProperty('box');
    for (const block of page.blocks) expect(block).not.toHaveProperty('lines');
    expect((await readOne(content)).blocks[0]).toHaveProperty('box');
  });
});

it('disable_reconstruction returns plain lines without tables, headings and lists', async () => {
  const content =
    text(72, 740, 'Harbours', 24) +
    text(72, 700, '- one', 10) +
    grid([72, 200, 330], [650, 630, 610]) +
    [text(77, 636, 'a', 10), text(205, 636, 'b', 10)].join('') +
    [text(77, 616, 'c', 10), text(205, 616, 'd', 10)].join('') +
    paragraph(72, 570, ['Ships enter the harbour from the west.']);
  const types = async (parameters: ParseParameters) =>
    (await readOne(content, parameters)).blocks.map(({ type }) => type);
  expect(await types({})).toEqual(['heading', 'list', 'table', 'paragraph']);
  expect(new Set(await types({ disable_reconstruction: true }))).toEqual(new Set(['paragraph']));
  expect((await readOne(content, { disable_reconstruction: true })).text).toBe(
    'Harbours\n\n- one\n\na b\n\nc d\n\nShips enter the harbour from the west.',
  );
});

it('ignore_document_elements_for_layout_detection ignores outline headings', async () => {
  const description = {
    pages: [
      { content: paragraph(72, 700, ['Harbours of the north']) + paragraph(72, 660, ['Ships enter.']) },
    ],
    outline: [{ title: 'Harbours of the north', page: 0 }],
  };
  const markdown = (parameters: ParseParameters) =>
    withDocument(description, async (document) => (await document.readPage(0)).markdown, parameters);
  expect(await markdown({})).toBe('# Harbours of the north\n\nShips enter.');
  expect(await markdown({ ignore_document_elements_for_layout_detection: true })).toBe(
    'Harbours of the north\n\nShips enter.',
  );
});
