import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { encode } from './fixtures/encode.ts';
import { png } from './fixtures/pictures.ts';
import { type RawMember, rawZip, unicodePath } from './fixtures/raw-zip.ts';
import { docx, drawing, paragraph, run } from './fixtures/word.ts';
import { zip } from './fixtures/zip.ts';

const CODE_437 = [0x47, 0x72, 0x81, 0xe1, 0x65, 0x2e, 0x74, 0x78, 0x74];
const utf8 = (text: string) => new TextEncoder().encode(text);
const open = (bytes: Uint8Array, password?: string) =>
  openDocument({ bytes, name: 'papers.zip', plan: resolveParsePlan({ password }) });
const listPaths = async (members: RawMember[]) =>
  (await readAll(await open(rawZip(members)))).map((page) => page.member?.path);

parserSuite({
  kind: 'zip',
  holds: {
    headings: 1,
    tables: 1,
    figures: 1,
    labels: ['notes/harbour.md', 'tables/depths.csv', 'report.docx', 'tool.exe'],
  },
  bytes: async () =>
    zip({
      'notes/': '',
      'notes/harbour.md': '# Harbour\n\nThe quay is long.',
      'tables/depths.csv': 'Port,Depth\nAgger,4 m\n',
      'report.docx': docx(
        `${paragraph(run('Words of the report'))}<w:p>${drawing('image1', 'shown')}</w:p>`,
        await png(),
      ),
      'tool.exe': Uint8Array.from({ length: 600 }, (_, at) => (at * 37) & 255),
      '__MACOSX/notes/._harbour.md': Uint8Array.from([0, 5, 22, 7]),
      'notes/.DS_Store': Uint8Array.from([0, 0, 0, 1]),
    }),
  markdown: [
    '# Harbour\n\nThe quay is long.',
    '| Port  | Depth |\n| ----- | ----- |\n| Agger | 4 m   |',
    'Words of the report\n\n![shown](member-3-image-1.png)',
    '(not read: UNSUPPORTED_FILE_TYPE: Sluice does not read this file (.exe).)',
  ],
  parameters: { hide_headers: true, hide_footers: true },
});

describe('archive', () => {
  it('assigns pages to member files and lists unreadable members with a reason', async () => {
    const document = await open(zip({ 'a/one.txt': 'Words', 'a/two.pdf': '%PDF-1.7 broken' }));
    const pages = await readAll(document);
    expect(pages.map(({ member, error }) => [member, error?.split(':')[0]])).toEqual([
      [{ path: 'a/one.txt', pageIndex: 0 }, undefined],
      [{ path: 'a/two.pdf', pageIndex: 0 }, 'PDF_IS_BROKEN'],
    ]);
    expect(document.metadata).toMatchObject({
      members: [{ path: 'a/one.txt', kind: 'txt', firstPage: 0, pageCount: 1 }],
      failedMembers: [{ name: 'a/two.pdf', reason: expect.stringContaining('PDF_IS_BROKEN') }],
    });
  });

  it('reads nested archives to a limited depth', async () => {
    let bytes = zip({ 'deep.txt': 'level 0' });
    for (let level = 1; level < 6; level++) {
      bytes = zip({ 'here.txt': `level ${level}`, 'in.zip': bytes });
    }
    const pages = await readAll(await open(bytes));
    expect(pages.map(({ member, text }) => [member?.path, text.slice(0, 7)])).toEqual([
      ['here.txt', 'level 5'],
      ['in.zip/here.txt', 'level 4'],
      ['in.zip/in.zip/here.txt', 'level 3'],
      ['in.zip/in.zip/in.zip', '(not re'],
    ]);
  });

  it('reopens members that were closed to save memory', async () => {
    const words = (letter: string) => `${letter.repeat(40)} `.repeat(200_000);
    const document = await open(zip({ 'a.txt': words('a'), 'b.txt': words('b'), 'c.txt': words('c') }));
    const pages = await readAll(document);
    expect(pages.map(({ text }) => text[0])).toEqual(['a', 'b', 'c']);
    expect((await document.readPage(0)).text[0]).toBe('a');
  });

  it.each<[string, RawMember[], string]>([
    ['UTF-8 by a flag', [{ name: '港/план.txt', content: 'a', flags: 0x800 }], '港/план.txt'],
    ['UTF-8 without one', [{ name: 'Grüße/港.txt', content: 'a' }], 'Grüße/港.txt'],
    ['code page 437', [{ name: Uint8Array.from(CODE_437), content: 'a' }], 'Grüße.txt'],
    [
      'a second name in Unicode',
      [{ name: utf8('a.txt'), content: 'a', extra: unicodePath(utf8('a.txt'), '埠頭.txt') }],
      '埠頭.txt',
    ],
    [
      'a second name of another first one',
      [{ name: utf8('b.txt'), content: 'a', extra: unicodePath(utf8('a.txt'), '埠頭.txt') }],
      'b.txt',
    ],
    ['Shift_JIS', [{ name: encode('shift_jis', '会議の資料.txt'), content: 'a' }], '会議の資料.txt'],
    ['GBK', [{ name: encode('gbk', '中国的报告.txt'), content: 'a' }], '中国的报告.txt'],
    ['code page 866', [{ name: encode('ibm866', 'Отчёт о работе.txt'), content: 'a' }], 'Отчёт о работе.txt'],
    ['backslashes and steps upwards', [{ name: '..\\..\\etc\\passwd.txt', content: 'a' }], 'etc/passwd.txt'],
  ])('decodes names in %s', async (_, members, path) => {
    expect(await listPaths(members)).toEqual([path]);
  });

  it('reads a Zip64 directory', async () => {
    const bytes = rawZip([{ name: 'a.txt', content: 'wide words' }], { wide: true });
    expect((await (await open(bytes)).readPage(0)).text).toBe('wide words');
  });

  it.each(['traditional', 'streamed', 'aes-128', 'aes-256'] as const)(
    'opens encrypted members (%s) only with the password',
    async (how) => {
      const content = 'Only for the harbour master. '.repeat(40);
      const lock = { password: 'Grüße 42!', how };
      const bytes = rawZip([
        { name: 'open.txt', content: 'For all' },
        { name: 'locked.txt', content, lock },
      ]);
      const document = await open(bytes, lock.password);
      expect((await document.readPage(1)).text.startsWith('Only for the harbour master.')).toBe(true);
      expect(document.unlocked).toBe(true);
      const without = await readAll(await open(bytes));
      expect(without.map(({ text }) => text)).toEqual([
        'For all',
        expect.stringContaining('FILE_IS_PROTECTED: The file is encrypted with a password'),
      ]);
      const wrong = await readAll(await open(bytes, 'Wr0ngGuess'));
      expect(wrong[1]?.text).toMatch(/FILE_IS_PROTECTED: The password does not open the file|damaged/);
      expect(JSON.stringify(wrong)).not.toContain('Wr0ngGuess');
    },
  );

  it('is rejected with a reason if no member can be read', async () => {
    const lock = { password: 'x', how: 'aes-256' as const };
    await expect(open(rawZip([{ name: 'a.txt', content: 'a', lock }]))).rejects.toMatchObject({
      reason: 'FILE_IS_PROTECTED',
      message: expect.stringContaining('a.txt: The file is encrypted with a password'),
    });
    await expect(open(zip({ 'only/': '' }))).rejects.toMatchObject({ reason: 'NO_DATA_FOUND_IN_FILE' });
  });

  it('limits the number of members and rejects decompression bombs', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_003 }, (_, at) => [`${at}.txt`, `words ${at}`]));
    const pages = await readAll(await open(zip(many)));
    expect(pages.filter(({ error }) => error !== undefined)).toHaveLength(3);
    expect(pages.at(-1)?.error).toContain('more than 1000 files');
    const bomb = zipSync({ 'a.txt': utf8('words'), 'b.txt': new Uint8Array(30 * 1024 * 1024) }, { level: 9 });
    const read = await readAll(await open(bomb));
    expect(read.map(({ error }) => error?.split(':')[0])).toEqual([undefined, 'DOCUMENT_TOO_LARGE']);
  });

  it('counts the unpacked size of nested archives together', async () => {
    const part = zipSync({ 'a.bin': new Uint8Array(31 * 1024 * 1024).map((_, at) => at >> 8) }, { level: 9 });
    const inner = zipSync(Object.fromEntries([1, 2, 3].map((at) => [`${at}.zip`, part])), { level: 0 });
    const outer = zipSync(Object.fromEntries([1, 2, 3, 4].map((at) => [`${at}.zip`, inner])), { level: 0 });
    const document = await open(zipSync({ 'x.txt': utf8('words'), 'in.zip': outer }, { level: 0 }));
    expect(JSON.stringify(await readAll(document))).toContain('DOCUMENT_TOO_LARGE');
  });
});
