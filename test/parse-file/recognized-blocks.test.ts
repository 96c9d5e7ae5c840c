import { describe, expect, it } from 'vitest';
import { toBlocks } from '#src/parse-file/recognized-blocks.ts';
import type { RecognisedWord, Recognition } from '#src/ports/ocr.ts';

const word = (text: string, x: number, y: number): RecognisedWord => ({
  text,
  box: { x, y, w: text.length * 12, h: 20 },
});

/** Creates a recognition from paragraphs of lines. */
function recognise(paragraphs: RecognisedWord[][][], rules: RecognisedWord['box'][] = []): Recognition {
  const text = paragraphs
    .map((lines) => lines.map((line) => line.map((each) => each.text).join(' ')).join(' '))
    .join('\n\n');
  return { format: 'plain', text, words: paragraphs.flat(2), paragraphs, rules };
}

describe('recognized blocks', () => {
  const rows = [
    ['Port', 'Depth', 'Berths'],
    ['Skagen', '11', '24'],
    ['Hanstholm', '9', '31'],
  ];
  const cells = rows.map((row, at) =>
    row.map((text, column) => word(text, 50 + column * 200, 200 + at * 50)),
  );
  const rules = [
    ...[0, 1, 2, 3].map((at) => ({ x: 30, y: 185 + at * 50, w: 600, h: 2 })),
    ...[0, 1, 2, 3].map((at) => ({ x: 30 + at * 200, y: 185, w: 2, h: 152 })),
  ];

  it('contain the table that lines of the picture form, between the paragraphs', () => {
    const before = [[word('Harbours', 50, 100), word('of', 160, 100), word('Jutland', 200, 100)]];
    const after = [[word('Depths', 50, 500), word('in', 140, 500), word('metres.', 180, 500)]];
    const blocks = toBlocks(recognise([before, cells, after], rules), { compact: true });
    expect(blocks.map(({ type }) => type)).toEqual(['paragraph', 'table', 'paragraph']);
    expect(blocks[1]!.markdown).toContain('|Hanstholm|9|31|');
    expect(blocks[0]!.text).toBe('Harbours of Jutland');
  });

  it('render the table as HTML if requested', () => {
    const [table] = toBlocks(recognise([cells], rules), { html: true });
    expect(table!.markdown).toContain('<td>Hanstholm</td>');
  });

  it('are paragraphs if gaps in Chinese sentences happen to stand above each other', () => {
    const sentence = ['村边的', '低洼处', '有一块', '地四面'];
    const lines = [0, 1, 2, 3, 4, 5].map((row) =>
      sentence.map((text, at) => ({ text, box: { x: 50 + at * 90, y: 100 + row * 32, w: 60, h: 20 } })),
    );
    expect(toBlocks(recognise([lines])).map(({ type }) => type)).toEqual(['paragraph']);
  });

  it('are paragraphs if a table would divide one of them', () => {
    const further = Array.from({ length: 8 }, (_, at) => [
      word(`The paragraph goes on in line ${at}`, 50, 400 + at * 30),
    ]);
    const blocks = toBlocks(recognise([[...cells, ...further]], rules));
    expect(blocks.map(({ type }) => type)).toEqual(['paragraph']);
  });

  it('are paragraphs if the words form no table', () => {
    const lines = ['The keeper climbs', 'the stairs at dusk'].map((text, at) => {
      let x = 50;
      return text.split(' ').map((each) => {
        const placed = word(each, x, 100 + at * 30);
        x += placed.box.w + 12;
        return placed;
      });
    });
    expect(toBlocks(recognise([lines])).map(({ type }) => type)).toEqual(['paragraph']);
  });
});
