import { describe, expect, it } from 'vitest';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { grid, text } from '#test/fixtures/pdf.ts';
import { readOne } from './helpers.ts';

const kinds = async (content: string, parameters: ParseParameters = {}) =>
  (await readOne(content, parameters)).blocks.map(({ type, text }) => [type, text]);

describe('outlined_table_extraction', () => {
  const oneColumn =
    grid([72, 300], [700, 680, 660]) + text(77, 686, 'First entry', 10) + text(77, 666, 'Second entry', 10);
  const oneRow =
    grid([72, 200, 330], [700, 680]) + text(77, 686, 'Name', 10) + text(205, 686, 'Ada Lovelace', 10);

  it.each([
    ['one column', oneColumn, 'First entry\nSecond entry'],
    ['one row', oneRow, 'Name\tAda Lovelace'],
  ])('detects a table in %s', async (_, content, cells) => {
    expect((await kinds(content)).map(([type]) => type)).not.toContain('table');
    expect(await kinds(content, { outlined_table_extraction: true })).toEqual([['table', cells]]);
  });

  it('does not treat a frame around text as a table', async () => {
    const framed =
      grid([72, 300], [700, 660]) + text(77, 686, 'A word', 10) + text(77, 670, 'of warning', 10);
    const found = await kinds(framed, { outlined_table_extraction: true });
    expect(found.map(([type]) => type)).not.toContain('table');
  });
});

describe('aggressive_table_extraction', () => {
  const rows = [
    ['Storage', 'Twelve months from the day on which it was filled'],
    ['Return', 'At any time in the first two weeks after delivery'],
  ];
  const content = rows
    .flatMap(([left, right], at) => [
      text(72, 700 - at * 16, left!, 10),
      text(200, 700 - at * 16, right!, 10),
    ])
    .join('');

  it('detects a two-row table that contains sentences', async () => {
    expect((await kinds(content)).map(([type]) => type)).not.toContain('table');
    const cells = rows.map((row) => row.join('\t')).join('\n');
    expect(await kinds(content, { aggressive_table_extraction: true })).toEqual([['table', cells]]);
  });
});

describe('markdown_table_multiline_header_separator', () => {
  const parameters = { compact_markdown_table: true, markdown_table_multiline_header_separator: ' | ' };

  it('separates lines of a header cell, escaped where needed', async () => {
    const content =
      grid([72, 200, 300], [700, 660, 630]) +
      [text(77, 686, 'Net', 10), text(77, 672, 'weight', 10), text(205, 686, 'Unit', 10)].join('') +
      [text(77, 648, 'four', 10), text(77, 636, 'teen', 10), text(205, 646, 'kg', 10)].join('');
    expect((await readOne(content, { compact_markdown_table: true })).markdown).toBe(
      '|Net<br>weight|Unit|\n|---|---|\n|four<br>teen|kg|',
    );
    expect((await readOne(content, parameters)).markdown).toBe(
      '|Net \\| weight|Unit|\n|---|---|\n|four<br>teen|kg|',
    );
  });

  it('separates two merged heading rows', async () => {
    const table = [
      ['Item', 'Net', 'Gross'],
      ['', 'weight', 'weight'],
      ['Apples', '12', '14'],
      ['Pears', '7', '9'],
    ];
    const content = table
      .flatMap((row, at) =>
        row.map((cell, column) => (cell ? text(72 + column * 120, 700 - at * 14, cell, 10) : '')),
      )
      .join('');
    const header = async (asked: ParseParameters) => (await readOne(content, asked)).markdown.split('\n')[0];
    expect(await header({ compact_markdown_table: true })).toBe('|Item|Net weight|Gross weight|');
    expect(await header({ ...parameters, markdown_table_multiline_header_separator: ' / ' })).toBe(
      '|Item|Net / weight|Gross / weight|',
    );
  });
});
