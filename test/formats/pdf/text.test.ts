import { describe, expect, it } from 'vitest';
import { grid, line, paragraph, rectangle, rotatedText, text } from '#test/fixtures/pdf.ts';
import { readOne, readPages, withDocument } from './helpers.ts';

const LEFT = [
  'The first column opens the story with',
  'a long line of plain prose, and it goes',
  'on for a number of further lines until',
  'the column comes to its quiet ending.',
];
const RIGHT = [
  'Now the second column takes over and',
  'tells the remaining part of the story',
  'in lines that are just as long as those',
  'on the other side of the narrow gutter.',
];

describe('words', () => {
  it('returns the box of each word in points from the top left', async () => {
    const page = await readOne(text(72, 700, 'Hello wide world', 12));
    expect(page.words.map(([word]) => word)).toEqual(['Hello', 'wide', 'world']);
    const [, x, y, w, h] = page.words[0]!;
    expect(x).toBeCloseTo(72, 0);
    // The baseline is 92 points below the top. Ascenders are above and descenders below.
    expect(y).toBeGreaterThan(78);
    expect(y).toBeLessThan(84);
    expect(y + h).toBeGreaterThan(92);
    expect(y + h).toBeLessThan(98);
    // Width of "Hello" in Helvetica: 722 + 556 + 222 + 222 + 556 thousandths.
    expect(w).toBeCloseTo(27.3, 0);
    expect(page.text).toBe('Hello wide world');
  });

  it('applies the page rotation', async () => {
    const [page] = await readPages([{ content: text(72, 700, 'Turned'), rotate: 90 }]);
    expect([page!.width, page!.height]).toEqual([792, 612]);
    const [, x, y, w, h] = page!.words[0]!;
    expect(x).toBeGreaterThan(690);
    expect(x).toBeLessThan(700);
    expect(y).toBeCloseTo(72, 0);
    expect(h).toBeGreaterThan(w);
    expect(page!.text).toBe('Turned');
  });

  it('applies the crop box and omits text outside', async () => {
    const content = text(120, 700, 'inside') + text(10, 700, 'outside');
    const [page] = await readPages([{ content, cropBox: [100, 100, 500, 750] }]);
    expect([page!.width, page!.height]).toEqual([400, 650]);
    expect(page!.text).toBe('inside');
    expect(page!.words[0]![1]).toBeCloseTo(20, 0);
  });

  it('keeps superscripts in their line', async () => {
    const page = await readOne(
      text(72, 700, 'E = mc', 12) + text(108.5, 705, '2', 7) + text(114, 700, 'holds', 12),
    );
    expect(page.text).toBe('E = mc2 holds');
  });

  it('expands ligatures and composes accents', async () => {
    const toUnicode = { '41': 'FB01', '42': '00650301', '43': '006E' };
    const read = await withDocument(
      { pages: [{ content: text(72, 700, 'ACB', 12, 'F4') }], toUnicode },
      (document) => document.readPage(0),
    );
    expect(read.text).toBe('fin\u00e9');
  });

  it('reads the letters of a lam-alef ligature in logical order', async () => {
    const toUnicode = { '41': '0633', '42': '06440627', '43': '0645' };
    const read = await withDocument(
      { pages: [{ content: text(72, 700, 'CBA', 12, 'F4') }], toUnicode },
      (document) => document.readPage(0),
    );
    expect(read.text).toBe('\u0633\u0644\u0627\u0645');
  });

  it('returns right-to-left text in logical order', async () => {
    // Drawn from left to right, so the last letter of the last word comes first.
    const toUnicode = { '41': '05DD', '42': '05D5', '43': '05DC', '44': '05E9', '45': '05D1' };
    const content = text(72, 700, 'EC ABCD', 12, 'F4');
    const read = await withDocument({ pages: [{ content }], toUnicode }, (document) => document.readPage(0));
    expect(read.text).toBe('\u05e9\u05dc\u05d5\u05dd \u05dc\u05d1');
  });
});

describe('forms', () => {
  it('reads filled fields beside their labels', async () => {
    const [page] = await readPages([
      {
        content: text(72, 700, 'Name:', 10) + text(72, 660, 'Town:', 10),
        fields: [
          { rect: [105, 696, 250, 712], name: 'name', value: 'Ada Lovelace' },
          { rect: [105, 656, 250, 672], name: 'town', value: 'London' },
        ],
      },
    ]);
    expect(page!.text).toBe('Name: Ada Lovelace\n\nTown: London');
  });
});

describe('reading order', () => {
  it('reads columns one after the other', async () => {
    const page = await readOne(
      text(72, 740, 'A title that runs across both of the columns below it', 16) +
        LEFT.map(
          (value, index) =>
            text(72, 700 - index * 12, value, 10) + text(320, 700 - index * 12, RIGHT[index]!, 10),
        ).join(''),
    );
    expect(page.text).toBe(
      ['A title that runs across both of the columns below it', LEFT.join(' '), RIGHT.join(' ')].join('\n\n'),
    );
  });

  it('reads columns whose lines are not level', async () => {
    const page = await readOne(paragraph(320, 705, RIGHT) + paragraph(72, 700, LEFT));
    expect(page.text).toBe([LEFT.join(' '), RIGHT.join(' ')].join('\n\n'));
  });

  it('reads across columns with do_not_unroll_columns', async () => {
    const page = await readOne(paragraph(72, 700, LEFT) + paragraph(320, 700, RIGHT), {
      do_not_unroll_columns: true,
    });
    expect(page.text.startsWith(`${LEFT[0]} ${RIGHT[0]}`)).toBe(true);
  });

  it('places rotated text after upright text', async () => {
    const page = await readOne(rotatedText(40, 300, 'Along the edge', 90, 20) + paragraph(72, 700, LEFT));
    expect(page.text).toBe(`${LEFT.join(' ')}\n\nAlong the edge`);
    expect(page.blocks[1]!.type).toBe('paragraph');
    const box = page.blocks[1]!.box!;
    expect(box.h).toBeGreaterThan(box.w);
    expect(box.y + box.h).toBeCloseTo(492, 0);
  });
});

describe('blocks', () => {
  it('distinguishes headings, paragraphs, lists and code', async () => {
    const page = await readOne(
      [
        text(72, 740, 'Report', 24, 'F2'),
        paragraph(72, 700, LEFT),
        text(72, 630, 'Details', 13, 'F2'),
        paragraph(
          72,
          605,
          ['\u2022 first point of the list', '\u2022 second point of the list'],
          10,
        ).replaceAll('\u2022', '\\225'),
        text(72, 560, 'if (ready) {', 10, 'F3'),
        text(84, 548, 'start();', 10, 'F3'),
        text(72, 536, '}', 10, 'F3'),
      ].join(''),
    );
    expect(page.blocks.map(({ type, level }) => [type, level])).toEqual([
      ['heading', 1],
      ['paragraph', undefined],
      ['heading', 3],
      ['list', undefined],
      ['code', undefined],
    ]);
    expect(page.markdown).toBe(
      [
        '# Report',
        LEFT.join(' '),
        '### Details',
        '- first point of the list\n- second point of the list',
        '```\nif (ready) {\n  start();\n}\n```',
      ].join('\n\n'),
    );
  });

  it('joins hyphenated words and keeps real hyphens', async () => {
    const page = await readOne(
      paragraph(72, 700, [
        'Here a well-known and rather long expla-',
        'nation is broken, and so is this well-',
        'known word, which keeps its own hyphen.',
      ]),
    );
    expect(page.text).toBe(
      'Here a well-known and rather long explanation is broken, and so is this well-known word, which keeps its own hyphen.',
    );
    expect(page.words.map(([word]) => word)).toContain('expla-');
  });

  it('splits paragraphs at gaps and indents', async () => {
    const page = await readOne(
      paragraph(72, 700, LEFT) +
        text(90, 652, 'An indented line opens another paragraph', 10) +
        paragraph(72, 640, RIGHT) +
        text(72, 570, 'Far below.', 10),
    );
    expect(page.blocks).toHaveLength(3);
  });

  it('takes headings from the outline', async () => {
    const content =
      paragraph(72, 700, LEFT) + text(72, 640, 'Plain looking chapter', 10) + paragraph(72, 616, RIGHT);
    const page = await withDocument(
      { pages: [{ content }], outline: [{ title: 'Plain looking chapter', page: 0 }] },
      (document) => document.readPage(0),
    );
    expect(page.blocks[1]).toMatchObject({ type: 'heading', level: 1, text: 'Plain looking chapter' });
  });

  it('escapes Markdown syntax', async () => {
    const page = await readOne(text(72, 700, 'Use *stars* and `ticks` in <tags>', 10));
    expect(page.markdown).toBe('Use \\*stars\\* and \\`ticks\\` in \\<tags>');
    expect(page.text).toBe('Use *stars* and `ticks` in <tags>');
  });
});

describe('repeated lines', () => {
  const pages = [1, 2, 3].map((number) => ({
    content:
      text(72, 760, `Annual report, part ${number}`, 9) +
      paragraph(72, 600, number === 2 ? RIGHT : LEFT) +
      text(300, 30, String(number + 10), 9),
  }));

  it('are marked as header and footer', async () => {
    const [, page] = await readPages(pages);
    expect(page!.blocks.map(({ type }) => type)).toEqual(['header', 'paragraph', 'footer']);
  });

  it('are omitted, and the printed page number is returned, on request', async () => {
    const [, page] = await readPages(pages, {
      hide_headers: true,
      hide_footers: true,
      extract_printed_page_number: true,
    });
    expect(page!.text).toBe(RIGHT.join(' '));
    expect(page!.label).toBe('12');
  });
});

describe('parameters', () => {
  it('skips diagonal text only on request', async () => {
    const content = rotatedText(200, 300, 'DRAFT', 45, 60) + text(72, 700, 'Body');
    expect((await readOne(content)).text).toContain('DRAFT');
    expect((await readOne(content, { skip_diagonal_text: true })).text).toBe('Body');
  });

  it('crops the page to the bounding box', async () => {
    const content = text(72, 700, 'top') + text(72, 100, 'bottom');
    expect((await readOne(content, { bbox_bottom: 0.5 })).text).toBe('top');
    expect((await readOne(content, { bounding_box: '0.5,0,0,0' })).text).toBe('bottom');
  });

  it('drops tiny text by default', async () => {
    const content = text(72, 700, 'plain') + text(72, 600, 'minute', 0.5);
    expect((await readOne(content)).text).toBe('plain');
    expect((await readOne(content, { preserve_very_small_text: true })).text).toContain('minute');
  });

  it('drops invisible text on request', async () => {
    const content = `${text(72, 700, 'seen')}3 Tr ${text(72, 600, 'unseen')}0 Tr\n`;
    expect((await readOne(content)).text).toContain('unseen');
    expect((await readOne(content, { remove_hidden_text: true })).text).toBe('seen');
  });

  it('drops white text on a white background on request', async () => {
    const white = (content: string) => `1 1 1 rg ${content}0 0 0 rg\n`;
    const content =
      text(72, 700, 'seen') +
      white(text(72, 600, 'trap')) +
      rectangle(60, 490, 100, 30, '0 0 0.5') +
      white(text(72, 500, 'header'));
    expect((await readOne(content, { remove_hidden_text: true })).words.map(([word]) => word)).toEqual([
      'seen',
      'header',
    ]);
  });

  it('preserves the layout of the page', async () => {
    const content = text(48, 700, 'left', 8) + text(240, 700, 'right', 8) + line(0, 0, 1, 1);
    const page = await readOne(content, { preserve_layout_alignment_across_pages: true });
    expect(page.text).toMatch(/^ {10}left {36}right$/);
  });
});

describe('fast_mode', () => {
  it('returns text by line without tables, headings or columns', async () => {
    const content =
      text(72, 740, 'A Heading', 24) +
      grid([72, 200, 300], [700, 680, 660]) +
      text(77, 686, 'Item', 10) +
      text(205, 686, 'Count', 10) +
      text(77, 666, 'Tin', 10) +
      text(205, 666, '12', 10);
    const plain = await readOne(content, { fast_mode: true });
    expect(plain.blocks.map(({ type }) => type)).toEqual(['paragraph', 'paragraph', 'paragraph']);
    expect(plain.text).toBe('A Heading\n\nItem Count\n\nTin 12');
    expect(plain.words).toEqual((await readOne(content)).words);
    expect((await readOne(content)).blocks.map(({ type }) => type)).toEqual(['heading', 'table']);
  });
});
