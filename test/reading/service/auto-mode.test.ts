import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildPdf, grid, image, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { upload } from '#test/support/client.ts';
import { PageModel } from '#test/support/page-model.ts';
import { parseJobWithModel } from '#test/support/parse-job.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
  // The model returns the text of the page.
  model.answer = ({ fenced: [own = ''] }) => own || 'NOTHING';
});
afterEach(() => {
  vi.restoreAllMocks();
});

const CELLS = [
  ['Cargo', 'Tons'],
  ['Barley', '120'],
  ['Timber', '380'],
];
const TABLE =
  grid([72, 200, 328], [600, 620, 640, 660]) +
  CELLS.flatMap(([name, tons], at) => [text(80, 645 - 20 * at, name!), text(208, 645 - 20 * at, tons!)]).join(
    '',
  );

/** Uploads a PDF with a page of prose, one with a table and one with a picture. */
function uploadPages(): Promise<string> {
  const pages = [
    { content: paragraph(72, 700, ['The quay was built of Granite', 'and ends at pier 14.']) },
    { content: text(72, 700, 'Cargo of the year') + TABLE },
    {
      content: text(72, 700, 'The harbour from above') + image(0, 72, 300, 300, 300),
      images: [solidImage(200, 200, [20, 90, 160])],
    },
  ];
  return upload('pages.pdf', buildPdf({ pages, info: { Title: crypto.randomUUID() } }));
}

const readBy = async (configuration: object) =>
  (await parseJobWithModel(await uploadPages(), { auto_mode: true, ...configuration })).map(
    ({ read_by: { mode, reason } }) => [mode, reason.split(':')[0]],
  );
const LAYOUT = ['layout', 'auto_mode'];

describe('auto_mode', () => {
  it.each<[string, string | boolean, number[]]>([
    ['auto_mode_trigger_on_table_in_page', true, [1]],
    ['auto_mode_trigger_on_image_in_page', true, [2]],
    ['auto_mode_trigger_on_text_in_page', 'granite', [0]],
    ['auto_mode_trigger_on_text_in_page', 'basalt', []],
    ['auto_mode_trigger_on_regexp_in_page', 'pier \\d+', [0]],
    ['auto_mode_trigger_on_regexp_in_page', '(?i)the (quay|harbour)', [0, 2]],
  ])('with %s %j sends the pages %j to the model', async (name, value, wanted) => {
    const expected = [0, 1, 2].map((at) => (wanted.includes(at) ? ['agentic', name] : LAYOUT));
    expect(await readBy({ [name]: value })).toEqual(expected);
    expect(model.asked).toHaveLength(wanted.length);
  });

  it('reads triggered pages in the chosen mode', async () => {
    const configuration = { parse_mode: 'parse_page_with_llm', auto_mode_trigger_on_table_in_page: true };
    const name = 'auto_mode_trigger_on_table_in_page';
    expect(await readBy(configuration)).toEqual([LAYOUT, ['corrected', name], LAYOUT]);
    expect(model.asked[0]!.picture).toBeUndefined();
  });

  it('sends pages that the parser could not read to the model, and no others', async () => {
    model.answer = () => 'A letter of the year 1931.';
    const pages = [
      { content: text(72, 700, 'The quay was built of granite.') },
      { content: image(0, 72, 400, 300, 300), images: [solidImage(40, 40, [200, 30, 30])] },
    ];
    const fileId = await upload('scan.pdf', buildPdf({ pages, info: { Title: crypto.randomUUID() } }));
    const told = await parseJobWithModel(fileId, { auto_mode: true, disable_ocr: true });
    expect(told.map(({ read_by }) => read_by.mode)).toEqual(['layout', 'agentic']);
    expect(told[1]).toMatchObject({
      markdown: 'A letter of the year 1931.',
      read_by: { reason: 'auto_mode: the parser could not read the page.' },
    });
  });
});
