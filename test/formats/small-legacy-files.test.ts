import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { encode } from './fixtures/encode.ts';
import { zip } from './fixtures/zip.ts';

const read = async (bytes: Uint8Array, name: string) =>
  (await (await openDocument({ bytes, name, plan: resolveParsePlan({}) })).readPage(0)).text;

/** Short tables and notes as people write them. */
const FILES: [label: string, table: string[][], note: string][] = [
  [
    'shift_jis',
    [
      ['品名', '数量', '担当'],
      ['ロープ', '12', '佐藤'],
      ['浮き輪', '3', '田中'],
    ],
    '明日の会議は中止です。',
  ],
  [
    'euc-jp',
    [
      ['品名', '数量', '担当'],
      ['ロープ', '12', '佐藤'],
    ],
    '明日の会議は中止です。',
  ],
  [
    'gb18030',
    [
      ['名称', '数量', '负责人'],
      ['绳子', '12', '李华'],
      ['救生圈', '3', '王芳'],
    ],
    '明天的会议取消了。',
  ],
  [
    'euc-kr',
    [
      ['품명', '수량', '담당'],
      ['밧줄', '12', '이영희'],
      ['구명환', '3', '박민수'],
    ],
    '내일 회의는 취소되었습니다.',
  ],
  [
    'windows-1251',
    [
      ['Предмет', 'Число', 'Кто'],
      ['Канат', '12', 'Ольга'],
      ['Круг', '3', 'Пётр'],
    ],
    'Завтра собрания не будет.',
  ],
  [
    'koi8-r',
    [
      ['Предмет', 'Число', 'Кто'],
      ['Канат', '12', 'Ольга'],
      ['Круг', '3', 'Пётр'],
    ],
    'Завтра собрания не будет.',
  ],
];

it.each(FILES)('decodes a small table and a note in %s', async (label, table, note) => {
  const csv = `${table.map((row) => row.join(',')).join('\n')}\n`;
  expect(await read(encode(label, csv), 'list.csv')).toBe(table.map((row) => row.join('\t')).join('\n'));
  expect(await read(encode(label, `${note}\n`), 'note.txt')).toBe(note);
  // Each file in an archive has its own encoding.
  expect(await read(zip({ 'note.txt': encode(label, note) }), 'papers.zip')).toBe(note);
});
