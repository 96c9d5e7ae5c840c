import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildPdf, image, solidImage } from '#test/fixtures/pdf.ts';
import { upload } from '#test/support/client.ts';
import { CARGO, LIES, pdfOf, reportPage, TRUE } from '#test/support/harbour-report.ts';
import { type Asked, PageModel, type Reply } from '#test/support/page-model.ts';
import { parseJobWithModel } from '#test/support/parse-job.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const uploadReport = () => upload('report.pdf', pdfOf([reportPage()]));

const VISION = { parse_mode: 'parse_page_with_lvm' };
const AGENT = { parse_mode: 'parse_page_with_agent' };
describe('a truthful model', () => {
  it('is trusted at the first reading', async () => {
    model.answer = () => TRUE;
    const [page] = await parseJobWithModel(await uploadReport(), VISION);
    expect(model.asked).toHaveLength(1);
    expect(page).toMatchObject({ markdown: TRUE, read_by: { mode: 'vision', model: 'reader-1' } });
    expect(page).toMatchObject({ unsupported: [], misplaced: [], missing: { words: 0 } });
    expect(page!.confidence).toBeGreaterThan(0.9);
  });

  it('is trusted if the page has no text to compare with', async () => {
    model.answer = () => '# A scanned letter\n\nOf 12 May 1931, about 40 sacks of rye.';
    const content = image(0, 72, 400, 300, 300);
    const images = [solidImage(40, 40, [200, 30, 30])];
    const bytes = buildPdf({ pages: [{ content, images }], info: { Title: crypto.randomUUID() } });
    const fileId = await upload('letter.pdf', bytes);
    const [page] = await parseJobWithModel(fileId, { ...VISION, disable_ocr: true });
    expect(page).toMatchObject({ read_by: { mode: 'vision' }, confidence: null, unsupported: null });
    expect(model.asked).toHaveLength(1);
  });
});

describe.each(Object.entries(LIES))('a model that tells %s', (_, lie) => {
  it('is asked again, and trusted if the second answer is true', async () => {
    model.answer = (_asked, n) => (n === 1 ? lie : TRUE);
    const [page] = await parseJobWithModel(await uploadReport(), VISION);
    expect(model.asked).toHaveLength(2);
    expect(page).toMatchObject({ markdown: TRUE, read_by: { mode: 'vision' }, unsupported: [] });
  });

  it('is not used if it lies twice, and the parser’s text is returned', async () => {
    model.answer = () => lie;
    const [page] = await parseJobWithModel(await uploadReport(), VISION);
    expect(model.asked).toHaveLength(2);
    const reason = 'The page does not support the text that the model wrote.';
    expect(page!.read_by).toMatchObject({ mode: 'layout', model: null, reason });
    expect(page!.markdown).not.toBe(lie);
    for (const row of [...CARGO, ['48,210', 'Edda Holm']])
      for (const cell of row) expect(page!.markdown).toContain(cell);
  });
});

it.each<[string, Reply]>([
  ['is cut off', { cut: TRUE.slice(0, 200) }],
  ['refuses the page', { status: 400 }],
])('a page is replaced by the parser’s text if the model %s', async (_, reply) => {
  model.answer = () => reply;
  const [page] = await parseJobWithModel(await uploadReport(), { ...VISION, page_error_tolerance: 1 });
  expect(page!.read_by).toMatchObject({ mode: 'layout', model: null });
  expect(page!.markdown).toContain('48,210');
});

it('a model that leaves a little out is trusted, and the missing text is reported', async () => {
  const short = TRUE.replace('| Slate | 967 |\n', '');
  model.answer = () => short;
  const [page] = await parseJobWithModel(await uploadReport(), VISION);
  expect(page).toMatchObject({ markdown: short, read_by: { mode: 'vision' }, missing: { numbers: 1 } });
  expect(page!.confidence).toBeLessThan(0.95);
});

describe('an agent', () => {
  const faults = (asked: Asked) => asked.fenced.slice(2).join('\n');

  it('receives the unsupported and the missing text', async () => {
    const wrong = TRUE.replace('48,210', '84,210').replace('Signed by Edda Holm, harbour master.', '');
    model.answer = (_, n) => (n === 1 ? wrong : TRUE);
    const [page] = await parseJobWithModel(await uploadReport(), AGENT);
    expect(model.asked).toHaveLength(2);
    expect(faults(model.asked[1]!)).toContain('84,210');
    expect(faults(model.asked[1]!)).toContain('Edda Holm');
    expect(page).toMatchObject({ markdown: TRUE, read_by: { mode: 'agentic' } });
  });

  it('receives misplaced values with the printed ones', async () => {
    const swapped = TRUE.replace('1,204', '#').replace('3,861', '1,204').replace('#', '3,861');
    model.answer = (_, n) => (n === 1 ? swapped : TRUE);
    const [page] = await parseJobWithModel(await uploadReport(), AGENT);
    expect(faults(model.asked[1]!)).toMatch(/1,204 \(the page has: 3861\)/);
    expect(page!.markdown).toBe(TRUE);
  });

  it('reads a page once if the page supports the output', async () => {
    model.answer = () => TRUE;
    await parseJobWithModel(await uploadReport(), AGENT);
    expect(model.asked).toHaveLength(1);
  });
});
