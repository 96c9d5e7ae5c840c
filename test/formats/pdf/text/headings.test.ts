import { describe, expect, it } from 'vitest';
import { paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, readPages } from '../helpers.ts';

/** Returns lines of prose that are long enough to be the body of the page. */
const lines = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `Line ${at} of the report tells at length how the harbour was dredged`,
  );
const prose = (y: number, count: number, size = 12) =>
  lines(count)
    .map((line, at) => text(72, y - at * size * 1.2, line, size))
    .join('');

const listHeadings = async (content: string) =>
  (await readOne(content)).blocks.filter(({ type }) => type === 'heading').map((block) => block.markdown);

describe('headings', () => {
  it('are larger than the running prose, although small print has more letters', async () => {
    const small = prose(480, 14, 8);
    const page =
      text(72, 760, 'Dredging', 15) + prose(730, 10) + text(72, 590, 'Depths of the quays.', 12) + small;
    expect(await listHeadings(page)).toEqual(['### Dredging']);
  });

  it('are not list items, addresses or captions', async () => {
    const others = ['\u0095 Free water', 'Office@harbours.example.org', 'Figure 3 The northern quay'];
    const content = others.map((line, at) => text(72, 560 - at * 60, line, 18)).join('');
    expect(await listHeadings(prose(760, 10) + content + prose(300, 3))).toEqual([]);
  });

  it('do not begin in the middle of a sentence', async () => {
    const page =
      prose(760, 10) + text(72, 630, 'while the harbour of', 12) + text(72, 600, 'the northern quay', 15);
    expect(await listHeadings(page + prose(560, 5))).toEqual([]);
  });

  it('are not long sentences in slightly larger letters', async () => {
    const sentence =
      'The board decided that the harbour has to be dredged again within a year of this report.';
    expect(await listHeadings(prose(760, 10) + text(72, 600, sentence, 14) + prose(560, 5))).toEqual([]);
  });

  it('include bold lines above smaller text', async () => {
    const page = prose(760, 10) + text(72, 600, 'General rights', 9, 'F2') + prose(580, 3, 9);
    expect(await listHeadings(page)).toEqual(['#### General rights']);
  });
});

describe('the body of a document', () => {
  it('is not in the size of a page of references', async () => {
    const references = Array.from({ length: 14 }, (_, at) => {
      const reference = `[${at + 1}] A. Writer, a report at length on how the quay of port ${at} was dredged`;
      return text(72, 700 - at * 17, reference, 14);
    });
    const sources = text(72, 740, 'Sources', 14) + references.join('');
    const [, page] = await readPages([{ content: prose(760, 9) }, { content: sources }]);
    expect(page?.blocks[0]).toMatchObject({ type: 'heading', text: 'Sources' });
  });
});

describe('a sentence', () => {
  it('stays in one paragraph if one of its lines is bold', async () => {
    const page = await readOne(
      text(72, 700, 'The depth of the northern quay is given at low water and it is', 12) +
        text(72, 686, 'never less than four metres in any of the years since the', 12, 'F2') +
        text(72, 672, 'works were done.', 12),
    );
    expect(page.blocks).toHaveLength(1);
  });
});

describe('words that a line break divides', () => {
  const read = async (rows: string[], rest = '') => (await readOne(paragraph(72, 700, rows) + rest)).text;
  const elsewhere = (value: string) => text(72, 500, value, 12);

  it('are joined', async () => {
    expect(await read(['Ships moor at the south-', 'ern quay.'])).toBe('Ships moor at the southern quay.');
  });

  it('keep a hyphen that the word has elsewhere', async () => {
    const joined = await read(['The stock-', 'based plan.'], elsewhere('A stock-based plan.'));
    expect(joined).toContain('The stock-based plan.');
  });

  it('lose the hyphen if the word is written without it elsewhere', async () => {
    const joined = await read(['The data-', 'base of ships.'], elsewhere('A database and a base of data.'));
    expect(joined).toContain('The database of ships.');
  });

  it('keep the hyphen between two words that occur by themselves', async () => {
    const joined = await read(['The single-', 'document task.'], elsewhere('A single task in a document.'));
    expect(joined).toContain('The single-document task.');
    const closed = await read(['The some-', 'thing of ships.'], elsewhere('There is some, a thing.'));
    expect(closed).toContain('The something of ships.');
    const suffix = await read(['The state-', 'ment of ships.'], elsewhere('The state and a ment.'));
    expect(suffix).toContain('The statement of ships.');
  });

  it.each([
    [['The COVID-', '19 year.'], 'The COVID-19 year.'],
    [['A non-', 'European ship.'], 'A non-European ship.'],
    [['An out-of-', 'pocket sum.'], 'An out-of-pocket sum.'],
    [['All pre-', 'and postwar ships.'], 'All pre- and postwar ships.'],
    [['A self-', 'made ship.'], 'A self-made ship.'],
    [['On - 12-', 'ships.'], 'On - 12- ships.'],
  ])('keep the hyphen of %j', async (rows, expected) => {
    expect(await read(rows)).toBe(expected);
  });

  it('are completed at the end of a column', async () => {
    const column = (x: number, first: string, last: string) =>
      paragraph(x, 700, [first, ...lines(8).map((line) => line.slice(0, 44)), last]);
    const page = await readOne(
      column(40, 'The first column of the report on all quays', 'goes on with the harbour on the south-') +
        column(320, 'ern coast, which was dredged in that year', 'and it ends here.'),
    );
    expect(page.text).toContain('on the southern\n\ncoast, which');
  });
});

describe('spaces that a file leaves out', () => {
  const place = (gap: number) =>
    `BT /F1 10 Tf 1 0 0 1 72 700 Tm [(This) -${gap} (refers) -${gap} (to) -${gap} (it)] TJ ET\n`;

  it('are found by the gaps between letters', async () => {
    expect((await readOne(place(125))).text).toBe('This refers to it');
    expect((await readOne(place(60))).text).toBe('Thisreferstoit');
  });

  it('are not invented between letters that are set apart', async () => {
    const page = await readOne('BT /F1 10 Tf 1.3 Tc 1 0 0 1 72 700 Tm (Letters apart) Tj ET\n');
    expect(page.text).toBe('Letters apart');
  });
});

describe('the invisible text of a scan', () => {
  it('is read in lines although each word has a size of its own', async () => {
    const rows = [
      'Ships moor at the northern quay',
      'when the wind is from the west',
      'and at the southern one',
      'if it is not so',
    ];
    const words = rows.flatMap((row, at) => {
      let x = 72;
      return row.split(' ').map((word, index) => {
        const size = [10, 14, 8, 12][(index + at) % 4]!;
        const shown = `3 Tr ${text(x, 700 - at * 14, word, size)}`;
        x += word.length * 7 + 8;
        return shown;
      });
    });
    const page = await readOne(words.join(''));
    expect(page.text).toBe(rows.join(' '));
    expect(page.blocks.map(({ type }) => type)).toEqual(['paragraph']);
  });
});
