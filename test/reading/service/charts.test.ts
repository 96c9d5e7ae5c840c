import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CARGO, chartPdf, chartTable, type PAGES, PROSE } from '#test/fixtures/chart.ts';
import { png } from '#test/formats/fixtures/pictures.ts';
import { docx, drawing, paragraph, run } from '#test/formats/fixtures/word.ts';
import { upload } from '#test/support/client.ts';
import { type Asked, PageModel } from '#test/support/page-model.ts';
import { parseJobWithModel } from '#test/support/parse-job.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const TABLE = chartTable();
const LIE = chartTable(CARGO.map(([name, tons]) => [name, String(Number(tons) + 40)]));
const CLOSING = 'So much for the harbour in those years.';
const TEXT = [PROSE.join(' '), CLOSING].join('\n\n');

const isOfPicture = ({ system }: Asked) => system.startsWith('You read single pictures');
const isWithCharts = ({ system }: Asked) => system.includes('Write each chart as a pipe table');

/** Makes the model return `table` for a chart and `shown` for any other picture. */
function answering({ table = TABLE, shown = '' }: { table?: string; shown?: string } = {}) {
  model.answer = (asked) => {
    if (isOfPicture(asked))
      return asked.system.includes('If the picture is a chart') ? table : shown || 'NOTHING';
    return isWithCharts(asked) ? [PROSE.join(' '), table, CLOSING].join('\n\n') : TEXT;
  };
}

const LVM = { parse_mode: 'parse_page_with_lvm' };
const parse = async (configuration: object, ...pages: (keyof typeof PAGES)[]) =>
  parseJobWithModel(await upload('chart.pdf', chartPdf(...pages)), { ...LVM, ...configuration });
const read = (page: { markdown: string; read_from_pictures: unknown }) =>
  (page.read_from_pictures as { start: number; end: number }[]).map(({ start, end }) =>
    page.markdown.slice(start, end),
  );

const ALL = [
  'extract_charts',
  'specialized_chart_parsing_efficient',
  'specialized_chart_parsing_plus',
  'specialized_chart_parsing_agentic',
] as const;
const ALONE = ALL.slice(2);

describe.each(ALL)('chart parsing with %s', (name) => {
  it('turns a chart into a table with rows and a box, and does not change other pages', async () => {
    answering();
    const [page, plain] = await parse({ [name]: true }, 'labelled', 'plain');
    expect(page).toMatchObject({ read_by: { mode: 'vision' }, unsupported: [] });
    expect(page!.markdown).toBe([PROSE.join(' '), TABLE, CLOSING].join('\n\n'));
    expect(page!.confidence).toBeGreaterThan(0.8);
    const table = page!.items.find(({ type }) => type === 'table');
    expect(table).toMatchObject({ rows: [['Cargo', 'Tons'], ...CARGO] });
    // The chart is 300 by 200 points at 100, 192, plus its labels.
    expect(table!.box!.y).toBeGreaterThan(165);
    expect(table!.box!.y + table!.box!.h).toBeLessThan(420);
    expect(plain!.markdown).toBe(TEXT);
  });

  it('marks values that the page does not print as read from the picture', async () => {
    answering();
    const [page] = await parse({ [name]: true }, 'unlabelled');
    expect(page).toMatchObject({ read_by: { mode: 'vision' }, unsupported: [] });
    expect(page!.markdown).toContain(TABLE);
    expect(read(page!)).toEqual(expect.arrayContaining(CARGO.map(([, tons]) => tons)));
    expect(read(page!)).not.toEqual(expect.arrayContaining([CARGO[0][0]]));
  });

  it('reads charts that are images', async () => {
    answering();
    const [page] = await parse({ [name]: true }, 'image');
    expect(page).toMatchObject({ read_by: { mode: 'vision' }, unsupported: [] });
    expect(page!.items.find(({ type }) => type === 'table')!.box).toMatchObject({ x: 100, y: 192, w: 300 });
    expect(read(page!).join(' ')).toMatch(/Cargo.*123/);
  });

  it('rejects values that contradict the printed labels of the chart', async () => {
    answering({ table: LIE });
    const [page] = await parse({ [name]: true }, 'labelled');
    expect(page!.markdown).not.toContain('163');
    expect(page!.read_by.reason).toMatch(/was skipped: its table contradicts|does not support/);
  });

  it('rejects a table of a chart without the option', async () => {
    model.answer = () => [PROSE.join(' '), TABLE, CLOSING].join('\n\n');
    const [page] = await parse({}, 'unlabelled');
    expect(page!.read_by.mode).toBe('layout');
  });
});

describe.each(ALONE)('separate chart requests of %s', (name) => {
  it('show the model only the chart, cut out of the page', async () => {
    answering();
    await parse({ [name]: true }, 'image');
    const [chart] = model.asked.filter(isOfPicture);
    // 300 points at 150 dots per inch.
    expect(chart!.picture).toEqual({ mimeType: 'image/png', width: 626, height: 625 });
    const [page] = model.asked.filter((asked) => !isOfPicture(asked));
    expect(page!.picture).toMatchObject({ width: 1275, height: 1650 });
    expect(page!.system).toContain('are read on their own');
  });

  it('are repeated with the faults if the table contradicts the labels', async () => {
    answering();
    const telling = model.answer;
    model.answer = (asked, n) => (isOfPicture(asked) && n === 1 ? LIE : telling(asked, n));
    const [page] = await parse({ [name]: true }, 'labelled');
    const [, second] = model.asked.filter(isOfPicture);
    expect(second!.fenced).toEqual(expect.arrayContaining([LIE, '- 163\n- 387\n- 248']));
    expect(page!.markdown).toContain(TABLE);
    expect(page!.unsupported).toEqual([]);
  });

  it('keep the page if the model refuses the picture, with a note', async () => {
    answering();
    const telling = model.answer;
    model.answer = (asked, n) => (isOfPicture(asked) ? { status: 400 } : telling(asked, n));
    const [page] = await parse({ [name]: true }, 'labelled');
    expect(page).toMatchObject({ markdown: TEXT, read_by: { mode: 'vision' } });
    expect(page!.read_by.reason).toContain("Picture 'drawing 1' was skipped");
  });

  it('skip a table with too many cells', async () => {
    answering();
    const telling = model.answer;
    const wide = `|${'a|'.repeat(150)}\n|${'-|'.repeat(150)}\n${'|b|\n'.repeat(200)}`;
    model.answer = (asked, n) => (isOfPicture(asked) ? wide : telling(asked, n));
    const [page] = await parse({ [name]: true }, 'labelled');
    expect(page).toMatchObject({ markdown: TEXT, read_by: { mode: 'vision' } });
    expect(page!.read_by.reason).toContain('too many cells');
  });
});

describe('specialized_chart_parsing_agentic', () => {
  it('always verifies each table against its picture, which plus does only if the table is wrong', async () => {
    answering();
    await parse({ specialized_chart_parsing_plus: true }, 'unlabelled');
    expect(model.asked.filter(isOfPicture)).toHaveLength(1);
    model.asked.splice(0);
    const repaired = chartTable([['Barley', '120'], ...CARGO.slice(1)]);
    const telling = model.answer;
    model.answer = (asked, n) => (isOfPicture(asked) && n === 2 ? repaired : telling(asked, n));
    const [page] = await parse({ specialized_chart_parsing_agentic: true }, 'unlabelled');
    expect(model.asked.filter(isOfPicture)).toHaveLength(2);
    expect(page!.markdown).toContain(repaired);
  });
});

describe('specialized_image_parsing', () => {
  const shown = 'PICTURE: A crane over [three] ships\nTEXT: Quay 4';

  it('describes each picture in place of its image and keeps the box of the image', async () => {
    answering({ shown });
    const [page] = await parse({ specialized_image_parsing: true }, 'image');
    expect(page!.markdown).toContain('![A crane over three ships Text: Quay 4](page_1_figure_1.png)');
    const figure = page!.items.find(({ type }) => type === 'figure');
    expect(figure!.box).toMatchObject({ x: 100, y: 192, w: 300, h: 300 });
    expect(page!.read_from_pictures).toEqual([expect.objectContaining({ kind: 'description' })]);
    expect(page!.unsupported).toEqual([]);
  });

  it('describes pictures that are not charts if chart parsing is also enabled', async () => {
    model.answer = (asked) => (isOfPicture(asked) ? shown : TEXT);
    const [page] = await parse(
      { specialized_image_parsing: true, specialized_chart_parsing_plus: true },
      'image',
    );
    expect(page!.markdown).toContain('![A crane');
  });

  it('shows the model the images of a file whose pages have no coordinates', async () => {
    const content = paragraph(run(CLOSING)) + paragraph(drawing('image1', 'A sketch'));
    const fileId = await upload('sketch.docx', docx(content, await png(220, 140)));
    model.answer = (asked) => (isOfPicture(asked) ? shown : `${CLOSING}\n\n![A sketch](image-1.png)`);
    const [page] = await parseJobWithModel(fileId, { ...LVM, specialized_image_parsing: true });
    expect(model.asked.find(isOfPicture)!.picture).toMatchObject({ width: 220, height: 140 });
    expect(page!.markdown).toBe(`${CLOSING}\n\n![A crane over three ships Text: Quay 4](image-1.png)`);
  });

  it('does not call the picture model for a page without pictures', async () => {
    answering({ shown });
    await parse({ specialized_image_parsing: true }, 'plain');
    expect(model.asked.filter(isOfPicture)).toHaveLength(0);
  });
});

describe('cropping a page', () => {
  const cut = { bbox_top: 0.2, bbox_left: 0.1 };

  it('crops the picture for the model, and maps boxes back to the whole page', async () => {
    model.answer = () => CLOSING;
    const [page] = await parse({ ...cut, layout_aware: true }, 'plain');
    expect(model.asked[0]!.picture).toMatchObject({ width: 1148, height: 1320 });
    expect(model.asked[0]!.text).not.toContain('railway');
    // 792 - 300 is the baseline, measured from the top.
    expect(page!.items[0]!.box!.y + page!.items[0]!.box!.h).toBeCloseTo(492, -1);
    const [, , left, top] = /1 paragraph \[((\d+), (\d+))/.exec(model.asked[0]!.fenced[1]!)!.map(Number);
    expect([left, top]).toEqual([Math.round((1000 * (72 - 61.2)) / (612 * 0.9)), expect.closeTo(511, -1)]);
  });

  it('crops the pictures on the page too', async () => {
    answering();
    await parse({ bbox_left: 0.3, specialized_chart_parsing_plus: true }, 'image');
    const [chart] = model.asked.filter(isOfPicture);
    // The crop starts at 183.6 points.
    expect(chart!.picture).toMatchObject({ width: expect.closeTo(452, -1), height: 625 });
  });
});

describe('layout_aware', () => {
  it('shows the model the blocks of the page, and places its output by block marks', async () => {
    model.answer = ({ fenced: [, layout] }) => {
      const closing = /^(\d+) paragraph .*So much/m.exec(layout ?? '')?.[1];
      const mark = (number: string) => (closing ? `<!-- block ${number} -->\n` : '');
      return `${mark('1')}${PROSE.join('\n\n')}\n\n${mark(closing ?? '')}${CLOSING}`;
    };
    const [page] = await parse({ layout_aware: true }, 'image');
    expect(page!.markdown).toBe([...PROSE, CLOSING].join('\n\n'));
    const [first, second, last] = page!.items;
    // The parser has both lines in one block, and the model split the block.
    expect(second!.box).toEqual(first!.box);
    expect(last!.box!.y).toBeGreaterThan(500);
    const [without] = await parse({}, 'image');
    expect(without!.markdown).toBe(page!.markdown);
    expect(without!.items[1]!.box!.h).toBeLessThan(first!.box!.h);
  });

  it('does not show the layout if it is off', async () => {
    answering();
    await parse({}, 'image');
    expect(model.asked[0]!.text).not.toContain('The layout of the page');
  });
});
