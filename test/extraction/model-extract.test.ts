import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import { extractWithModel } from '#src/extraction/model/extract.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { type ModelRequest, modelReplying, modelSaying } from '#test/support/fake-model.ts';
import { textPage } from './pages.ts';

const hold = { checkpoint: async () => {}, signal: new AbortController().signal };
const source = (path: string, text: string, page = 1, confidence = 1) => ({ path, page, text, confidence });

function read(
  pages: Page[],
  properties: Record<string, JsonSchema>,
  answers: object[],
  target: ExtractionTarget = 'per_doc',
) {
  const schema = { type: 'object', properties };
  const model = modelSaying(...answers);
  return extractWithModel({ model, pages, schema, target, systemPrompt: null, hold });
}

/** Extracts one field and returns its value and evidence. */
async function one(text: string, field: JsonSchema, value: unknown, ...cited: string[]) {
  const sources = cited.map((each) => source('/0/field', each));
  const [found] = await read([textPage(text)], { field }, [{ values: [{ field: value }], sources }]);
  return { value: found!.value.field, ...found!.evidence.get('/field') };
}

const number: JsonSchema = { type: 'number' };
const text: JsonSchema = { type: 'string' };
const date: JsonSchema = { type: 'string', format: 'date' };

describe('value from a model', () => {
  const THANKS = 'Invoice 7. Thank you for your order. Total 42.00 EUR';

  it.each<[string, JsonSchema, unknown]>([
    ['number', number, 999],
    ['date', date, '2026-03-04'],
    ['identifier', text, 'INV-2031'],
    ['address', { type: 'string', format: 'email' }, 'a@b.example'],
  ])('is dropped if no page prints the %s, whatever the model cites', async (_, field, value) => {
    expect((await one(THANKS, field, value, 'Thank you')).value ?? null).toBeNull();
    expect((await one(THANKS, field, value)).value ?? null).toBeNull();
  });

  it('loses citations that do not contain it', async () => {
    const found = await one(THANKS, number, 42, 'Thank you');
    expect(found).toMatchObject({ value: 42, confidence: 0.6, citations: [{ matching_text: '42.00 EUR' }] });
  });

  it.each<[string, JsonSchema, unknown, string]>([
    ['Total (1.163,40 EUR)', number, 1163.4, '1.163,40 EUR'],
    ['VAT 19%', number, 0.19, 'VAT 19%'],
    ['Revenue 1.2 million', number, 1_200_000, '1.2 million'],
    ['Signed by three partners', number, 3, 'three partners'],
    ['Year 2026-03-04', number, 2026, '2026-03-04'],
    ['on 14 March 2031', date, '2031-03-14', '14 March 2031'],
    ['No. NW 2031/77', text, 'NW-2031/77', 'NW 2031/77'],
    ['A thank-you note', { type: 'string', enum: ['letter'] }, 'letter', 'thank-you note'],
    ['They thank us', { type: 'boolean' }, true, 'They thank us'],
  ])('is confirmed by "%s"', async (page, field, value, cited) => {
    const found = await one(page, field, value, cited);
    expect(found).toMatchObject({ value, confidence: 1, citations: [{ matching_text: cited }] });
  });

  it('can be confirmed by the Markdown that the model read', async () => {
    const page = { ...textPage('Total\tGBP 1,800.60'), markdown: '| **Total** | GBP 1,800.60 |' };
    const answer = {
      values: [{ total: 1800.6 }],
      sources: [source('/0/total', '| **Total** | GBP 1,800.60 |')],
    };
    const [found] = await read([page], { total: number }, [answer]);
    expect(found!.evidence.get('/total')).toMatchObject({
      confidence: 1,
      citations: [{ page: 1, matching_text: 'Total GBP 1,800.60' }],
    });
  });

  it('is parsed with the date order of the document, and dropped if the order is ambiguous', async () => {
    expect((await one('Due 03/04/2026, sent 25/03/2026', date, '03/04/2026')).value).toBe('2026-04-03');
    expect((await one('Due 03/04/2026', date, '03/04/2026')).value ?? null).toBeNull();
  });
});

it('examples stand in the user prompt, because they contain texts of other documents', async () => {
  const requests: ModelRequest[] = [];
  const model = modelReplying(JSON.stringify({ values: [], sources: [] }), requests);
  const schema = { type: 'object', properties: { total: number } };
  const task = { model, schema, target: 'per_doc', systemPrompt: 'Be exact.', hold } as const;
  await extractWithModel({ ...task, pages: [textPage('Total 42')], examples: 'Text of example 1' });
  const [system, user] = requests[0]!.prompt;
  expect(JSON.stringify(system)).toContain('Be exact.');
  expect(JSON.stringify(system)).not.toContain('example 1');
  expect(user).toMatchObject({ role: 'user' });
  expect(user!.content[0]!.text).toMatch(/^Text of example 1\n[\s\S]*=== Page 1 ===\nTotal 42/);
});

describe('chunks of a long document', () => {
  const filler = 'Nothing of interest stands on this line. '.repeat(1_000);
  const pages = [textPage(`Shipping 5.00 ${filler}`), textPage(`Total 42 Shipping 5.00 ${filler}`, [], 1)];

  it('are repaired before they are merged', async () => {
    const answers = [
      { values: [{ total: 'unknown' }], sources: [source('/0/total', 'Shipping', 1)] },
      { values: [{ total: 42 }], sources: [source('/0/total', 'Total 42', 2, 0.9)] },
    ];
    const [found] = await read(pages, { total: number }, answers);
    expect(found!.value).toEqual({ total: 42 });
    expect(found!.evidence.get('/total')).toMatchObject({ confidence: 0.9, citations: [{ page: 2 }] });
  });

  it('can be incomplete, and equal lines are kept', async () => {
    const item: JsonSchema = { type: 'object', properties: { what: text, sum: number } };
    const line = { what: 'Shipping', sum: 5 };
    const lines: JsonSchema = { type: 'array', items: item, minItems: 2 };
    const [found] = await read(pages, { lines }, [{ values: [{ lines: [line] }], sources: [] }]);
    expect(found!.value).toEqual({ lines: [line, line] });
    const rows = await read(pages, item.properties!, [{ values: [line], sources: [] }], 'per_table_row');
    expect(rows.map(({ value }) => value)).toEqual([line, line]);
  });
});
