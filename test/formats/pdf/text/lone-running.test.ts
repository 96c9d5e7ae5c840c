import { describe, expect, it } from 'vitest';
import { paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, readPages } from '../helpers.ts';

/** Ten long lines of prose below a heading. */
const PROSE = paragraph(
  72,
  640,
  Array.from(
    { length: 10 },
    (_, at) => `Line ${at} of the report tells at length how the harbour was dredged in that year`,
  ),
);

const listRunning = async (content: string) => {
  const { blocks } = await readOne(content);
  return blocks.filter(({ type }) => type === 'header' || type === 'footer').map((block) => block.text);
};

const turned = (x: number, y: number, value: string) =>
  `BT /F1 14 Tf 0 1 -1 0 ${x} ${y} Tm (${value}) Tj ET\n`;

describe('running lines of a single page', () => {
  it.each([
    ['the date of a download', 'Download date: 4 May 2021'],
    ['the licence of a library', 'Authorized licensed use limited to: Harbour Office.'],
    ['a volume and issue', 'May 2021 | Volume 8 | Issue 3 | h77'],
    ['volume, year and pages', 'Harbour Studies 22 (2019) 451-457'],
    ['an address', 'www.harbours.example.org'],
    ['a copyright line', 'Copyright 2021 Harbour Office'],
    ['a named page number', 'Page 3 of 9'],
    ['a revision', 'Revision: 2.4'],
  ])('are recognized by %s at the foot', async (_, line) => {
    expect(await listRunning(PROSE + text(72, 40, line, 10))).toEqual([line]);
  });

  it('include the other parts of the row of a recognized line', async () => {
    const row = text(72, 40, 'Revision: 2.4', 10) + text(300, 40, '10 June 2019', 10);
    expect(await listRunning(PROSE + row)).toEqual(['Revision: 2.4 10 June 2019']);
  });

  it('are recognized by a page number far from the title beside it', async () => {
    const row = text(72, 770, '400', 12) + text(220, 770, 'BRITISH HARBOURS', 12);
    expect(await listRunning(row + PROSE)).toEqual(['400 BRITISH HARBOURS']);
  });

  it('are recognized in two rows that stand apart from the text together', async () => {
    const rows =
      text(72, 770, 'Harbour Studies 2010, 11:123', 9) + text(72, 759, 'www.harbours.example.org', 9);
    expect(await listRunning(rows + PROSE)).toEqual([
      'Harbour Studies 2010, 11:123',
      'www.harbours.example.org',
    ]);
  });

  it('are recognized by small letters and white space', async () => {
    expect(await listRunning(text(72, 770, 'A. Writer and others', 9) + PROSE)).toEqual([
      'A. Writer and others',
    ]);
  });

  it('include stamps along the margin', async () => {
    expect(await listRunning(PROSE + turned(30, 300, 'arXiv:2101.00001v2 4 May 2021'))).toEqual([
      'arXiv:2101.00001v2 4 May 2021',
    ]);
  });
});

describe('lines at the edge that belong to the text', () => {
  it.each([
    ['a title', text(72, 770, 'Of harbours', 20)],
    ['a line in the size of the text', text(72, 770, 'Agreement', 12)],
    ['the date of a letter', text(72, 770, '10 June 2019', 12)],
    ['the number of an invoice', text(72, 770, 'Invoice No: 123', 9) + text(400, 770, 'Page 1 of 1', 9)],
    ['a numbered heading', text(72, 770, '12.', 12) + text(110, 770, 'Governing law', 12)],
    ['a footnote', text(72, 40, '* Measured at low water', 9)],
    ['a caption', text(72, 40, 'Figure 2: The northern quay', 9)],
    ['an abbreviated caption', text(72, 40, 'Abb. 2 Der Kai im Norden', 9)],
    ['a small sentence', text(72, 40, 'The depth is given at low water.', 9)],
    ['an address close to the text', paragraph(72, 530, ['www.harbours.example.org'])],
  ])('keep %s', async (_, content) => {
    const running = await listRunning(PROSE + content);
    expect(running.filter((line) => line !== 'Page 1 of 1')).toEqual([]);
  });

  it('keep what a page of labels has at its edge', async () => {
    const labels = [700, 600, 500].map((y) => text(72, y, 'Depth', 12)).join('');
    expect(await listRunning(text(72, 770, 'Small print', 8) + labels)).toEqual([]);
  });

  it('keep numbers of sections that differ from page to page', async () => {
    const pages = await readPages(
      [3, 4, 5].map((number) => ({
        content: text(72, 770, `${number}.`) + text(110, 770, `Title ${'abc'[number - 3]}`) + PROSE,
      })),
    );
    for (const { blocks } of pages) expect(blocks.filter(({ type }) => type === 'header')).toEqual([]);
  });
});

describe('the Markdown of a page', () => {
  const content = text(72, 770, 'Page 3 of 9', 10) + PROSE + text(72, 40, 'Download date: 4 May 2021', 10);

  it('leaves running lines out, and the text and blocks keep them', async () => {
    const page = await readOne(content);
    expect(page.markdown).not.toMatch(/Page 3|Download/);
    expect(page.text).toMatch(/^Page 3 of 9[\s\S]*Download date: 4 May 2021$/);
    expect(page.blocks.map(({ text }) => text)).toContain('Page 3 of 9');
  });

  it('contains the running lines that the parameters ask for', async () => {
    expect((await readOne(content, { hide_headers: false })).markdown).toMatch(/^Page 3 of 9\n/);
    expect((await readOne(content, { hide_headers: false })).markdown).not.toContain('Download');
    expect((await readOne(content, { page_footer_prefix: '> ' })).markdown).toMatch(/2021$/);
  });

  it('contains the running lines of a page without other text', async () => {
    const [page] = await readPages([{ content: text(300, 30, '1', 9) }, { content: text(300, 30, '2', 9) }]);
    expect(page!.markdown).toBe('1');
  });
});

describe('a letterhead of four lines', () => {
  const foot = ['Harbour Office', 'Quay 4, 12345 Agger', 'VAT DK12345678', 'IBAN DK5000400440116243'];
  const drawFoot = foot.map((line, at) => text(72, 60 - at * 12, line, 8)).join('');

  it('stays in the Markdown of the first page and leaves that of the second', async () => {
    const pages = await readPages([
      { content: PROSE + drawFoot },
      { content: PROSE.replace('Line 0', 'Line 10') + drawFoot },
    ]);
    expect(pages.map(({ markdown }) => markdown.includes('VAT DK12345678'))).toEqual([true, false]);
    expect(pages.map(({ text: plain }) => plain.includes('VAT DK12345678'))).toEqual([true, true]);
  });
});

it('keeps large titles that differ from page to page only in their number', async () => {
  const title = (at: number) => text(72, 720, `Part ${at}`, 20);
  const pages = await readPages([{ content: title(1) + PROSE }, { content: title(2) + PROSE }]);
  expect(pages.map(({ markdown }) => /Part \d/.exec(markdown)?.[0])).toEqual(['Part 1', 'Part 2']);
});
