import { describe, expect, it } from 'vitest';
import { encode } from './fixtures/encode.ts';
import { legacySlides } from './fixtures/legacy-slides.ts';
import { joined, ole, u16, u32, utf16 } from './fixtures/ole.ts';
import { readMarkdown } from './fixtures/parts.ts';

const record = (type: number, body: Uint8Array) => joined(u16(type, body.length), body);
const END = record(0x0a, new Uint8Array());
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** Returns a compound file with a workbook of one sheet. `beginning` writes the first record of a part. */
function workbook(
  stream: string,
  beginning: (kind: number) => Uint8Array,
  shared: Uint8Array,
  name: Uint8Array,
  cells: Uint8Array[],
): Uint8Array {
  const bound = (position: number) => record(0x85, joined(u32(position), u16(0), name));
  const before = beginning(5).length + shared.length + bound(0).length + END.length;
  return ole({
    [stream]: joined(beginning(5), shared, bound(before), END, beginning(0x10), ...cells, END),
  });
}

/** Returns a workbook of Excel 95, whose texts are bytes in a code page. */
const oldWorkbook = (page: number, texts: Uint8Array[]) =>
  workbook(
    'Book',
    (kind) => record(0x809, u16(0x500, kind, 0, 0)),
    record(0x42, u16(page)),
    Uint8Array.of(1, 0x53),
    texts.map((text, row) => record(0x204, joined(u16(row, 0, 0, text.length), text))),
  );

/** Returns a workbook of Excel 97, whose texts are in a shared table. */
const newWorkbook = (table: Uint8Array, count: number) =>
  workbook(
    'Workbook',
    (kind) => record(0x809, joined(u16(0x600, kind, 0, 0), u32(0, 6))),
    table,
    Uint8Array.of(1, 0, 0x53),
    Array.from({ length: count }, (_, row) => record(0xfd, joined(u16(row, 0, 0), u32(row)))),
  );

const toShared = (text: string) =>
  [...text].some((letter) => letter > '\u00ff')
    ? joined(u16(text.length), [1], utf16(text))
    : joined(u16(text.length), [0], latin1(text));

const readCells = async (bytes: Uint8Array) =>
  (await readMarkdown(bytes))
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[ -]*\|$/.test(line))
    .map((line) => line.slice(1, -1).trim());

describe('texts in a workbook of Excel 95', () => {
  it.each([
    [1251, 'windows-1251', ['Волнолом', 'Цена']],
    [1250, 'windows-1250', ['Příliš žluť', 'Łódź']],
    [1257, 'windows-1257', ['Žuvų konservai', 'šaltibarščiai']],
    [874, 'windows-874', ['เขื่อนกัน', 'ราคา']],
    [932, 'shift_jis', ['防波堤の価格', 'りんご']],
    [936, 'gbk', ['防波堤', '苹果']],
    [949, 'euc-kr', ['방파제', '사과']],
    [32768, 'macintosh', ['Größe', 'Café']],
  ])('have code page %i', async (page, label, texts) => {
    expect(
      await readCells(
        oldWorkbook(
          page,
          texts.map((text) => encode(label, text)),
        ),
      ),
    ).toEqual(texts);
  });
});

describe('texts in a workbook of Excel 97', () => {
  it('have one or two bytes per character', async () => {
    const texts = ['Волнолом в гавани', 'Café über', '港の防波堤', 'plain'];
    const table = joined(u32(texts.length, texts.length), ...texts.map(toShared));
    expect(await readCells(newWorkbook(record(0xfc, table), texts.length))).toEqual(texts);
  });

  it('may change the width of their characters where a record continues', async () => {
    const start = joined(u32(2, 2), u16(8), [1], utf16('Волна'));
    const rest = joined([0], latin1('abc'), toShared('Цена'));
    const bytes = newWorkbook(joined(record(0xfc, start), record(0x3c, rest)), 2);
    expect(await readCells(bytes)).toEqual(['Волнаabc', 'Цена']);
  });
});

describe('texts in a presentation of PowerPoint 97', () => {
  it.each(['Волнолом', 'Café ÄÖ', '港の防波堤', 'เขื่อนกัน', 'מזח', 'الميناء'])('are read: %s', async (word) => {
    const bytes = legacySlides([{ title: word, body: [`${word} 1`], notes: word, table: [[word, '2']] }]);
    const markdown = await readMarkdown(bytes);
    expect(markdown).toContain(`# ${word}\n`);
    expect(markdown).toContain(`${word} 1`);
    expect(markdown.split(word)).toHaveLength(5);
  });
});
