import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Word } from '#src/documents/document.ts';
import { type PageTruth, type VerificationOptions, verifyPage } from '#src/reading/verify/index.ts';

const printed = (text: string): PageTruth => ({ text, source: 'text layer' });

/** Returns unsupported text as `kind: text`, and misplaced text as `text for printed`. */
function doubts(markdown: string, truth: PageTruth | string, options?: VerificationOptions): string[] {
  const { unsupported, misplaced } = verifyPage(
    markdown,
    typeof truth === 'string' ? printed(truth) : truth,
    options,
  );
  for (const { start, end, text } of [...unsupported, ...misplaced]) {
    expect(markdown.slice(start, end)).toBe(text);
  }
  return [
    ...unsupported.map(({ kind, text }) => `${kind}: ${text}`),
    ...misplaced.map(({ text, printed }) => `${text} for ${printed}`),
  ];
}

const INVOICE = `Invoice INV-2031-0417
Date: 14 March 2031
Customer: Hollis Brandt
Item Quantity Price
Copper pipe 12 40.50
Brass valve 7 118.25
Steel flange 31 9.95
Total 1,622.20`;

const TABLE = `# Invoice INV-2031-0417

Date: 14 March 2031

Customer: **Hollis Brandt**

| Item | Quantity | Price |
|---|---:|---:|
| Copper pipe | 12 | 40.50 |
| Brass valve | 7 | 118.25 |
| Steel flange | 31 | 9.95 |

Total 1,622.20`;

describe('faithful text in any format', () => {
  it.each<[string, string, string]>([
    ['Markdown of a table', TABLE, INVOICE],
    [
      'a table as HTML',
      '<table><tr><td colspan="2">Copper pipe</td><td>12</td></tr></table>',
      'Copper pipe 12',
    ],
    ['other separators', 'Total: 1.622,20 € and 40 000 pieces', 'Total: 1,622.20 EUR and 40,000 pieces'],
    ['digits of another script', 'المجموع 1622', 'المجموع ١٦٢٢'],
    ['the same date', 'Due 2031-03-14.', 'Due March 14, 2031.'],
    ['the same date in another language', 'fällig am 14.03.2031', 'fällig am 14. März 2031'],
    ['a date of ideographs', '日期 2031-03-14', '日期 2031年3月14日'],
    ['hyphenation and ligatures', 'an efficient examination', 'an e\ufb03cient exami-\nnation'],
    ['words that the page splits', 'The quarterly report', 'The quar terly re port'],
    ['words that the page joins', 'The quarterly report', 'Thequarterlyreport'],
    ['spaced letters', '# INVOICE total', 'I N V O I C E total'],
    ['accents and case', 'RÉSUMÉ of Müller', 'Resume of Muller'],
    ['marks of direction', 'שלום 42', '\u200fשלום\u200e 42\u202c'],
    ['another order', 'right column two\n\nleft column one', 'left column one\nright column two'],
    ['numbers of a list', '1. apples\n2. pears\n3. plums', '• apples\n• pears\n• plums'],
    ['numbers of headings', '## 2.1 Scope\n\nAll of it', 'Scope\nAll of it'],
    ['a formula', 'where $x^{2} + \\beta y_{12} = 7$ holds', 'where x2 + β y12 = 7 holds'],
    ['a note', 'as shown[^12] before', 'as shown12 before'],
    ['addresses of links and pictures', '[home](http://a.b/77) ![chart 99](c.png)', 'home'],
    ['escapes and entities', 'A \\* B &amp; C&#49;', 'A * B & C1'],
    ['Chinese', '北京是中国的首都，人口2189万', '北京是中国的首都 ，人口 2189 万'],
    ['Thai', 'กรุงเทพมหานครเป็นเมืองหลวง', 'กรุงเทพมหานคร เป็นเมืองหลวง'],
  ])('is accepted: %s', (_, markdown, text) => {
    expect(doubts(markdown, text)).toEqual([]);
    expect(verifyPage(markdown, printed(text))).toMatchObject({ known: true, missing: { dates: 0 } });
    expect(verifyPage(markdown, printed(text)).confidence).toBeGreaterThan(0.9);
  });
});

describe('text that is not on the page', () => {
  it.each<[string, string, string, string[]]>([
    ['a changed digit', TABLE.replace('118.25', '118.75'), INVOICE, ['number: 118.75']],
    ['a number that stands elsewhere', TABLE.replace('| 31 |', '| 12 |'), INVOICE, ['number: 12']],
    ['a moved decimal point', 'Total 162.2', 'Total 16.22', ['number: 162.2']],
    ['a number too many', 'Rows 5 and 5 and 5', 'Rows 5 and 6', ['number: 5', 'number: 5']],
    ['a changed day', TABLE.replace('14 March', '17 March'), INVOICE, ['date: 17 March 2031']],
    [
      'another date of the same parts',
      'On 2031-04-03',
      'On 2031-03-14, until 2032-04-03',
      ['date: 2031-04-03'],
    ],
    ['a changed identifier', TABLE.replace('0417', '0471'), INVOICE, ['identifier: INV-2031-0471']],
    [
      'an identifier of parts of others',
      'See AB-2031-7 now',
      'See AB-2031-9 or AB-2032-7 now',
      ['identifier: AB-2031-7'],
    ],
    ['a changed name', TABLE.replace('Brandt', 'Brenner'), INVOICE, ['name: Brenner']],
    ['a changed word', 'Profits decreased in spring', 'Profits increased in spring', ['text: decreased']],
    [
      'chatter',
      `Here is what I could transcribe:\n\n${TABLE}`,
      INVOICE,
      ['text: Here is what I could transcribe'],
    ],
    [
      'a sentence of words of the page',
      'The valve opens first.\n\nPipe work clear before pump valve opens then.',
      'The valve opens first. Then the pump starts. Keep clear of the pipe before work.',
      ['text: Pipe work clear before pump valve opens then'],
    ],
    ['two Chinese signs', '上海是中国的首都', '北京是中国的首都', ['text: 上海']],
  ])('is reported: %s', (_, markdown, text, expected) => {
    expect(doubts(markdown, text)).toEqual(expected);
    expect(verifyPage(markdown, printed(text)).confidence).toBeLessThan(0.5);
  });

  it('is reported as a language error if it is a translation', () => {
    const text = 'The committee meets on the first Monday of the month and publishes what it has decided.';
    const told =
      'Le comité se réunit le premier lundi du mois et publie ce qu’il a décidé dans les rapports.';
    expect(doubts(told, text)).toEqual([`language: ${told.slice(0, -1)}`]);
  });

  it('is reported as a repetition from the second occurrence', () => {
    const line = 'the pump was started again after the valve had been opened by hand';
    const [first, ...others] = doubts(`${line}\n\n${line}\n\n${line}`, line);
    expect([first, others]).toEqual([`repetition: ${line}\n\n${line}`, []]);
  });
});

describe('swapped values', () => {
  it('are reported with the printed values', () => {
    const swapped = TABLE.replace('| 12 |', '| 7 |').replace('| 7 | 118', '| 12 | 118');
    expect(doubts(swapped, INVOICE)).toEqual(['7 for 12', '12 for 7']);
  });

  it('are detected if they are adjacent', () => {
    expect(doubts('Width 30 20 mm', 'Width 20 30 mm')).toEqual(['30 for 20', '20 for 30']);
  });

  it('are detected by word coordinates if the text is in column order', () => {
    const rows = ['Oak 15 81 44', 'Elm 26 92 57', 'Ash 38 63 70'].map((row) => row.split(' '));
    const truth: PageTruth = {
      text: [0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column]!)).join('\n'),
      source: 'text layer',
      words: rows.flatMap((row, line) =>
        row.map((text, column): Word => [text, column * 100, line * 20, 30, 10]),
      ),
    };
    const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
    expect(doubts(table, truth)).toEqual([]);
    expect(doubts(table.replace('81', '92').replace('26 | 92', '26 | 81'), truth)).toEqual([
      '92 for 81',
      '81 for 92',
    ]);
  });
});

describe('missing text', () => {
  it('is counted by kind, with samples', () => {
    const { missing, unsupported, confidence } = verifyPage(
      'Invoice INV-2031-0417\n\nItem Quantity Price\n\nCopper pipe 12 40.50\n\nTotal 1,622.20',
      printed(INVOICE),
    );
    expect(unsupported).toEqual([]);
    expect(missing).toMatchObject({ numbers: 4, dates: 1, identifiers: 0 });
    expect(missing.samples[0]).toBe('Brass valve 7 118.25\nSteel flange 31 9.95');
    expect(confidence).toBeLessThan(0.5);
  });

  it('covers the whole page if the output is empty', () => {
    expect(verifyPage('', printed(INVOICE))).toMatchObject({ known: true, missing: { dates: 1 } });
    expect(verifyPage('', printed(INVOICE)).confidence).toBeLessThan(0.1);
  });
});

describe('a page with too little text to compare', () => {
  const told =
    'The chart shows how sales of the four regions rose from 1200 to 4100 between spring and the late autumn.';
  it.each(['', '12'])('does not accept repeated text beside %j', (text) => {
    const loop = 'The ferry paid 317 crowns in May. '.repeat(100);
    const { known, confidence } = verifyPage(loop, printed(text));
    expect(known).toBe(true);
    expect(confidence).toBeLessThan(0.5);
  });

  it.each(['', ' \n', '12'])('gives an unknown result for %j', (text) => {
    expect(verifyPage(told, printed(text))).toMatchObject({ known: false, confidence: 0.5, unsupported: [] });
  });

  it('is only assumed if the page has almost no text', () => {
    expect(verifyPage(told, printed('Sales by region and by season')).known).toBe(true);
  });
});

describe('chart tables', () => {
  const CHART = { areas: [{ x: 0, y: 80, w: 200, h: 160 }], tables: [] };
  const text = 'Sales by region\nNorth South';
  const table = 'Sales by region\n\n| North | 120 |\n|---|---|\n| South | 340 |';
  it('are rejected unless chart parsing was requested', () => {
    expect(doubts(table, text)).toEqual(['number: 120', 'number: 340']);
    expect(doubts(table, text, { pictures: CHART })).toEqual([]);
    expect(doubts(table.replace('North', 'Western Isles'), text, { pictures: CHART })).toEqual([]);
    expect(doubts(table, text, { pictures: { areas: [], tables: [] } })).toHaveLength(2);
  });

  it('are reported as read from pictures, with header cells that the page does not print', () => {
    const told = '| Region | Tons |\n|---|---|\n| North | 120 |\n| South | 340 |';
    const { readFromPictures, unsupported } = verifyPage(told, printed(text), { pictures: CHART });
    expect(readFromPictures.map(({ text: part }) => part)).toEqual(['Tons', '120', '340']);
    expect(unsupported).toEqual([]);
  });

  it('are exempt as whole tables, and a second table is verified separately', () => {
    const read = '| Region | Tons |\n|---|---|\n| North | 120 |\n| South | 340 |';
    const lie = '| Item | Price |\n|---|---|\n| Copper pipe | 40.50 |\n| Brass valve | 118.75 |';
    expect(doubts(`${read}\n\n${lie}`, `${INVOICE}\n${text}`, { pictures: CHART })).toEqual([
      'number: 118.75',
    ]);
  });

  describe('of a chart that prints its values', () => {
    const row = (y: number, ...cells: [string, number][]): Word[] =>
      cells.map(([cell, x]) => [cell, x, y, 20, 8]);
    const ticks = [0, 100, 200, 300, 400].map((tick): Word => [String(tick), 10, 200 - tick / 4, 20, 8]);
    const names = row(220, ['North', 50], ['South', 90], ['East', 130]);
    const values: Word[] = [
      ['120', 50, 165, 20, 8],
      ['340', 90, 110, 20, 8],
      ['95', 130, 172, 20, 8],
    ];
    const createPageTruth = (words: Word[]): PageTruth => ({
      text: `${PROSE}\n${words.map(([word]) => word).join(' ')}`,
      source: 'text layer',
      words,
    });
    const chart = (...tons: string[]) =>
      `${PROSE}\n\n| Region | Tons |\n|---|---|\n| North | ${tons[0]} |\n| South | ${tons[1]} |\n| East | ${tons[2]} |`;
    const PROSE = 'Of the grain that came over the sea in the year of the flood most went to the south.';

    it.each<[string, string[], string[]]>([
      ['as printed', ['120', '340', '95'], []],
      ['all others', ['130', '350', '90'], ['number: 130', 'number: 350', 'number: 90']],
      ['one other', ['120', '350', '95'], ['number: 350']],
      ['one that an axis has', ['120', '400', '95'], []],
    ])('are compared with the printed values: %s', (_, tons, expected) => {
      const truth = createPageTruth([...ticks, ...names, ...values]);
      expect(doubts(chart(...tons), truth, { pictures: CHART })).toEqual(expected);
    });

    it('may have other values if only the axis has numbers', () => {
      expect(
        doubts(chart('130', '350', '90'), createPageTruth([...ticks, ...names]), { pictures: CHART }),
      ).toEqual([]);
    });

    it('may have other values if fewer than half of the values are printed', () => {
      const truth = createPageTruth([...ticks, ...names, values[1]!]);
      expect(doubts(chart('120', '350', '95'), truth, { pictures: CHART })).toEqual([]);
      expect(doubts(chart('0', '350', '95'), truth, { pictures: CHART })).not.toEqual([]);
    });

    it('are compared with the printed names, whatever the header is', () => {
      const told = chart('120', '340', '95')
        .replace('South |', 'Saxony |')
        .replace('| Region | Tons |', '| Province or county | Tons of cereals shipped |');
      const truth = createPageTruth([...ticks, ...names, ...values]);
      expect(doubts(told, truth, { pictures: CHART }).join()).toContain('Saxony');
    });

    it('may omit axis labels, but not values', () => {
      const truth = createPageTruth([...ticks, ...names, ...values]);
      const { missing } = verifyPage(chart('120', '340', '95'), truth, { pictures: CHART });
      expect(missing).toMatchObject({ words: 0, numbers: 0 });
      const without = verifyPage(PROSE, truth, { pictures: CHART });
      expect(without.missing.numbers).toBe(3);
    });
  });

  it('do not exempt a table that the page prints as text', () => {
    expect(doubts(TABLE.replace('118.25', '118.75'), INVOICE, { pictures: CHART })).toEqual([
      'number: 118.75',
    ]);
  });
});

describe('text of a page that OCR read', () => {
  const read = (text: string, confidence?: number): PageTruth => ({
    text,
    source: 'ocr',
    ...(confidence !== undefined && { confidence }),
  });
  it.each([
    ['modern learning', 'modem leaming'],
    ['Total 105', 'Total 1O5'],
    ['the quarterly report', 'the quaxterly report'],
  ])('accepts %j for %j', (markdown, text) => {
    expect(doubts(markdown, read(text))).toEqual([]);
    expect(doubts(markdown, text)).not.toEqual([]);
  });

  it('must have the same digits, unless the OCR confidence is low', () => {
    expect(doubts('Total 138', read('Total 188', 0.9))).toEqual(['number: 138']);
    expect(doubts('Total 138', read('Total 188', 0.4))).toEqual([]);
    expect(doubts('Total 148', read('Total 188', 0.4))).toEqual(['number: 148']);
  });

  it('may differ in words with a low OCR confidence', () => {
    const words = (confidence: number): PageTruth => ({
      ...read('Total 188', 0.9),
      words: [
        ['Total', 0, 0, 30, 10, 0.95],
        ['188', 40, 0, 20, 10, confidence],
      ],
    });
    expect(doubts('Total 138', words(0.95))).toEqual(['number: 138']);
    expect(doubts('Total 138', words(0.3))).toEqual([]);
  });
});

describe('properties for any page', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgхцж'), minLength: 2, maxLength: 8 });
  const number = fc.integer({ min: 10, max: 9_999_999 }).map(String);
  const line = fc
    .array(fc.oneof(word, number), { minLength: 2, maxLength: 8 })
    .map((parts) => parts.join(' '));
  const page = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'));

  it('a page supports its own text', () => {
    fc.assert(
      fc.property(page, (text) => {
        const { unsupported, misplaced, missing, confidence } = verifyPage(text, printed(text));
        expect([unsupported, misplaced, missing.words]).toEqual([[], [], 0]);
        expect(confidence).toBeGreaterThan(0.9);
      }),
    );
  });

  it('a changed digit is reported at its position', () => {
    const changes = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(page, changes, (text, [which, by]) => {
        const digits = [...text.matchAll(/(?<=\d)\d/g)];
        fc.pre(digits.length > 0);
        const { 0: digit, index } = digits[which % digits.length]!;
        const changed = `${text.slice(0, index)}${(Number(digit) + by) % 10}${text.slice(index + 1)}`;
        const { unsupported, misplaced } = verifyPage(changed, printed(text));
        const atPlace = [...unsupported, ...misplaced].filter(
          ({ start, end }) => start <= index && index < end,
        );
        expect(atPlace).toHaveLength(1);
      }),
    );
  });

  it('spans are in order within the output, and the confidence is between 0 and 1', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (markdown, text) => {
        const { unsupported, confidence } = verifyPage(markdown, printed(text));
        let last = 0;
        for (const { start, end } of unsupported) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(markdown.length);
        expect(confidence >= 0 && confidence <= 1).toBe(true);
      }),
    );
  });
});
