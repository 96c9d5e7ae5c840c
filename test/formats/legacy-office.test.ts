import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { container, type LegacySlide, legacySlides, record } from './fixtures/legacy-slides.ts';
import { BOLD, DELETED, HIDDEN, item, type LegacyWord, legacyWord, row } from './fixtures/legacy-word.ts';
import { joined, ole, u16, u32 } from './fixtures/ole.ts';

const WORD: LegacyWord = {
  body: [
    { text: 'Harbours\r', style: 1 },
    { text: 'Ships moor at the quay', characters: BOLD },
    { text: ' when \u0013HYPERLINK "https://example.org/tide"\u0014the tide\u0015 is in\u0002.\r' },
    { text: 'Fees\r', style: 2 },
    { text: 'Water\r', look: item(0) },
    { text: 'of the well\r', look: item(1) },
    { text: 'Power\r', look: item(0) },
    ...row('Port', 'Depth'),
    ...row('Agger', '4 m'),
    ...row('', '6 m'),
    { text: 'gone', characters: DELETED },
    { text: 'Größe, 港の防波堤\u000band a\u001elast line\f' },
    { text: 'Another page\r' },
  ],
  footnotes: ['Twice a day.'],
  header: 'The harbour book',
  footer: 'Internal',
};

parserSuite({
  kind: 'doc',
  holds: { headings: 2, tables: 1, lists: 1, links: 1, metadata: ['title', 'author', 'language'] },
  bytes: () => legacyWord(WORD),
  markdown: [
    `The harbour book

# Harbours

**Ships moor at the quay** when [the tide](https://example.org/tide) is in[^1].

## Fees

1. Water
   - of the well
2. Power

| Port  | Depth |
| ----- | ----- |
| Agger | 4 m   |
|       | 6 m   |

Größe, 港の防波堤  
and a-last line`,
    'Another page\n\n[^1]: Twice a day.\n\nInternal',
  ],
  hasSignature: true,
});

const SLIDES: LegacySlide[] = [
  {
    box: 'A loose box',
    title: 'Harbours of the north',
    outline: ['First item', 'Zweites: Größe'],
    notes: 'Say this.',
  },
  { title: '第二のスライド', body: ['One line'], hidden: true },
];

parserSuite({
  kind: 'ppt',
  holds: { headings: 3, lists: 1, metadata: ['title', 'author', 'language'] },
  bytes: () => legacySlides(SLIDES),
  markdown: [
    '# Harbours of the north\n\nA loose box\n\n- First item\n- Zweites: Größe\n\n### Notes\n\nSay this.',
    '# 第二のスライド\n\nOne line',
  ],
  hasSignature: true,
});

const read = async (bytes: Uint8Array, parameters: ParseParameters = {}) =>
  readAll(await openDocument({ bytes, name: 'upload', plan: resolveParsePlan(parameters) }));

describe('Word 97 document', () => {
  it('omits hidden text, headers and footers if requested', async () => {
    const bytes = legacyWord({
      body: [{ text: 'secret ', characters: HIDDEN }, { text: 'open\r' }],
      header: 'head',
      footer: 'foot',
    });
    expect((await read(bytes))[0]!.markdown).toBe('head\n\nsecret open\n\nfoot');
    const asked = { remove_hidden_text: true, hide_headers: true, hide_footers: true };
    expect((await read(bytes, asked))[0]!.markdown).toBe('open');
  });

  it.each([
    ['is encrypted', { flags: 0x0300 }, 'FILE_IS_PROTECTED'],
    ['is older than 1997', { version: 0x65 }, 'UNSUPPORTED_FILE_TYPE'],
    ['names a stream of tables that it does not have', { flags: 0 }, 'FILE_IS_BROKEN'],
  ])('is rejected if it %s', async (_, change, reason) => {
    const bytes = legacyWord({ body: [{ text: 'x\r' }], ...change });
    await expect(read(bytes)).rejects.toMatchObject({ reason });
  });

  it('is rejected if its pieces repeat its text', async () => {
    const main = new Uint8Array(8192);
    const view = new DataView(main.buffer);
    view.setUint16(0, 0xa5ec, true);
    view.setUint16(2, 0xc1, true);
    const count = 1_000;
    const places = Array.from({ length: count + 1 }, (_, at) => at * 4096);
    const pieces = Array.from({ length: count }, () => joined(u16(0), u32(0x40000000 | 4096), u16(0)));
    const table = joined(u32(...places), ...pieces);
    view.setUint32(0x4c, count * 4096, true);
    view.setUint32(0x1a2, 0, true);
    view.setUint32(0x1a6, table.length + 5, true);
    const bytes = ole({ WordDocument: main, '0Table': joined([2], u32(table.length), table) });
    await expect(read(bytes)).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});

describe('PowerPoint 97 presentation', () => {
  it('omits hidden slides if requested', async () => {
    expect(await read(legacySlides(SLIDES), { remove_hidden_text: true })).toHaveLength(1);
  });

  it('reads a slide once if the slide list repeats it', async () => {
    expect(await read(legacySlides(SLIDES.slice(0, 1), { repeat: 100 }))).toHaveLength(1);
  });

  it.each([
    ['is encrypted', { encrypted: true }, 'FILE_IS_PROTECTED'],
    ['names an edit that is none', { editBefore: 3 }, 'FILE_IS_BROKEN'],
  ])('is rejected if it %s', async (_, damage, reason) => {
    await expect(read(legacySlides(SLIDES, damage))).rejects.toMatchObject({ reason });
  });

  it('is read even if its edits form a cycle', async () => {
    expect(await read(legacySlides(SLIDES, { editBefore: 0 }))).toHaveLength(2);
  });

  it('finishes with deeply nested shapes', async () => {
    let nested = new Uint8Array();
    for (let depth = 0; depth < 2_000; depth++)
      nested = container(0xf003, [nested]) as Uint8Array<ArrayBuffer>;
    const slide = container(1006, [record(1007, new Uint8Array(24)), nested]);
    const document = container(1000, [container(4080, [record(1011, u32(2, 0, 0, 1, 0))])]);
    const directory = record(6002, u32(1 | (2 << 20), 0, document.length));
    const editAt = document.length + slide.length + directory.length;
    const edit = record(4085, u32(0, 0, 0, document.length + slide.length, 1, 0, 0));
    const bytes = ole({
      'Current User': record(4086, u32(20, 0xe391c05f, editAt, 0)),
      'PowerPoint Document': joined(document, slide, directory, edit),
    });
    await expect(read(bytes)).rejects.toMatchObject({ reason: 'NO_DATA_FOUND_IN_FILE' });
  });
});

describe('compound file', () => {
  const bytes = legacyWord(WORD);
  const view = new DataView(bytes.buffer);
  const fatAt = (view.getUint32(76, true) + 1) * 512;
  const directoryAt = (view.getUint32(48, true) + 1) * 512;
  const changed = (at: number, value: number) => {
    const copy = bytes.slice();
    new DataView(copy.buffer).setUint32(at, value, true);
    return copy;
  };
  const directorySector = view.getUint32(48, true);

  it.each([
    ['whose directory runs in a circle', changed(fatAt + directorySector * 4, directorySector)],
    ['with a stream longer than the file', changed(directoryAt + 128 + 120, 0x7fffffff)],
    ['with a short stream longer than the file', changed(directoryAt + 2 * 128 + 120, 0x7fffffff)],
    ['with a stream outside of the file', changed(directoryAt + 128 + 116, 0x00ffffff)],
    ['whose table of sectors is elsewhere', changed(76, 0x00ffffff)],
    ['without sectors', changed(30, 0)],
    ['cut in the middle', bytes.slice(0, bytes.length / 2)],
  ])('%s is rejected as damaged', async (_, damaged) => {
    await expect(read(damaged)).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });

  it('is read even if its allocation table lists form a cycle', async () => {
    expect(await read(changed(68, directorySector))).toHaveLength(2);
  });
});
