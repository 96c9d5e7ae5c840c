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

  it.each([
    [46, ['The harbour master is called Matilda Oyelaran.']],
    [80, ['The harbour master is called', 'Matilda Oyelaran.']],
  ])('join two lines in one paragraph unless they are far apart: %i', (distance, expected) => {
    const lines = [
      [word('The harbour master is called', 50, 100)],
      [word('Matilda Oyelaran.', 50, 100 + distance)],
    ];
    expect(toBlocks(recognise([lines])).map(({ text }) => text)).toEqual(expected);
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

  it('are paragraphs if aligned words are a part of a paragraph', () => {
    const further = Array.from({ length: 8 }, (_, at) => [
      word(`The paragraph goes on in line ${at}`, 50, 400 + at * 30),
    ]);
    const list = (rules: RecognisedWord['box'][]) =>
      toBlocks(recognise([[...cells, ...further]], rules)).map(({ type }) => type);
    expect(list([])).not.toContain('table');
    expect(list(rules)).toContain('table');
  });

  it('contain a table without lines below a paragraph with gaps', () => {
    const gaps = [0, 1, 2].map((at) =>
      ['A sentence with', 'several gaps', 'goes on here'].map((text, column) =>
        word(text, 50 + column * 200, 60 + at * 30),
      ),
    );
    const rest = [3, 4, 5, 6, 7, 8, 9].map((at) => [
      word('The paragraph goes on without any gaps in it', 50, 60 + at * 30),
    ]);
    const far = rows
      .concat(rows)
      .map((row, at) => row.map((text, column) => word(text, 50 + column * 200, 440 + at * 50)));
    const blocks = toBlocks(recognise([[...gaps, ...rest], far]));
    expect(blocks.filter(({ type }) => type === 'table').map(({ text }) => text.split('\n')[1])).toEqual([
      'Skagen\t11\t24',
    ]);
  });

  it('read columns of prose one after the other and not as a table', () => {
    const names = ['first', 'second', 'third'];
    const lines = Array.from({ length: 12 }, (_, row) =>
      names.map((name, column) =>
        word(`the ${name} column goes on ${String(row).padStart(2, '0')}`, 50 + column * 400, 100 + row * 30),
      ),
    );
    const blocks = toBlocks(recognise([lines.flat().map((each) => [each])]));
    expect(blocks.map(({ type }) => type)).not.toContain('table');
    const text = blocks.map((block) => block.text).join(' ');
    const places = names.map((name) => text.indexOf(`the ${name} column goes on 00`));
    const ends = names.map((name) => text.indexOf(`the ${name} column goes on 11`));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(ends[0]).toBeLessThan(places[1]!);
    expect(ends[1]).toBeLessThan(places[2]!);
  });

  it('put words of one line into one row of a table, although their boxes have different heights', () => {
    const uneven = rows.concat(rows, rows).map((row, at) =>
      row.map((text, column): RecognisedWord => {
        const { box } = word(text, 50 + column * 200, 200 + at * 26);
        // Every other word has letters with descenders, or is a number.
        const down = (at + column) % 2 === 0 ? 5 : 0;
        return { text, box: { ...box, y: box.y + down, h: down > 0 ? 14 : 20 } };
      }),
    );
    const [table] = toBlocks(recognise([uneven], []));
    expect(table?.type).toBe('table');
    expect(table!.text.split('\n').slice(0, 2)).toEqual(['Port\tDepth\tBerths', 'Skagen\t11\t24']);
  });

  it('contain tables with one column of sentences', () => {
    const list = Array.from({ length: 8 }, (_, at) => [
      word(`The harbour lies behind ${at} tall piers`, 50, 200 + at * 50),
      word(`1${at}`, 700, 200 + at * 50),
      word(`2${at}`, 850, 200 + at * 50),
    ]);
    expect(toBlocks(recognise([list])).map(({ type }) => type)).toEqual(['table']);
  });

  it('show much larger lines as headings', () => {
    const large = { text: 'Harbours', box: { x: 50, y: 20, w: 260, h: 44 } };
    const small = ['The keeper climbs the stairs', 'and lights the lamp at dusk.'].map((text, at) => [
      word(text, 50, 140 + at * 30),
    ]);
    const blocks = toBlocks(recognise([[[large]], small]));
    expect(blocks.map(({ type, level }) => [type, level])).toEqual([
      ['heading', 1],
      ['paragraph', undefined],
    ]);
  });

  it('close tables with lines between their columns only', () => {
    const open = [
      ...[0, 1, 2, 3].map((at) => ({ x: 30, y: 185 + at * 50, w: 600, h: 2 })),
      ...[1, 2].map((at) => ({ x: 30 + at * 200, y: 185, w: 2, h: 152 })),
    ];
    const [table] = toBlocks(recognise([cells], open));
    expect(table!.text.split('\n')[2]).toBe('Hanstholm\t9\t31');
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
