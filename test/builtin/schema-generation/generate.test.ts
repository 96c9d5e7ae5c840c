import { describe, expect, it } from 'vitest';
import { generateConfiguration } from '#src/builtin/schema-generation/generate.ts';
import { generateSchemaWithModel } from '#src/extraction/model/generate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { Invalid } from '#src/lib/errors.ts';
import { BILL, printedPage, textPage } from '#test/extraction/pages.ts';
import { modelSaying } from '#test/support/fake-model.ts';

const properties = (input: Parameters<typeof generateConfiguration>[0]) =>
  generateConfiguration(input).parameters.data_schema.properties as Record<string, JsonSchema>;

describe('from a prompt', () => {
  it('turns nouns into typed fields', () => {
    const found = properties({
      prompt:
        'Extract the invoice number, issue date, total amount, supplier email and line items (description, quantity, price) from the invoice.',
    });
    expect(Object.keys(found)).toEqual([
      'invoice_number',
      'issue_date',
      'total_amount',
      'supplier_email',
      'line_items',
    ]);
    expect(found.issue_date).toMatchObject({ type: 'string', format: 'date' });
    expect(found.total_amount).toMatchObject({ type: 'number' });
    expect(found.line_items?.items?.properties).toMatchObject({
      description: { type: 'string' },
      quantity: { type: 'number' },
      price: { type: 'number' },
    });
  });

  it('derives the configuration name from the prompt unless a name is given', () => {
    expect(generateConfiguration({ prompt: 'Get the tenant and rent from a lease agreement' }).name).toBe(
      'Lease agreement extraction',
    );
    expect(generateConfiguration({ prompt: 'tenant, rent', name: 'Leases' }).name).toBe('Leases');
  });

  it('returns a configuration that can be saved unchanged', () => {
    expect(generateConfiguration({ prompt: 'tenant, monthly rent' }).parameters).toMatchObject({
      product_type: 'extract_v2',
      tier: 'cost_effective',
      extraction_target: 'per_doc',
      data_schema: { type: 'object', properties: { tenant: { type: 'string' } } },
    });
  });
});

describe('from a file', () => {
  it('creates fields from labels and tables', () => {
    const found = properties({ pages: [BILL] });
    expect(found.invoice_date).toMatchObject({ type: 'string', format: 'date' });
    expect(found.invoice_number).toMatchObject({ type: 'string' });
    expect(Object.keys(found.table_rows?.items?.properties ?? {})).toEqual([
      'description',
      'quantity',
      'unit_price',
      'amount',
    ]);
    expect(found.table_rows?.items?.properties?.amount).toMatchObject({ type: 'number' });
  });

  it('creates fields for value types when there are no labels', () => {
    const letter = textPage('We met on 2 May 2031 and owe you 30.00 EUR. Write to a@x.test.');
    expect(Object.keys(properties({ pages: [letter] }))).toEqual(['title', 'dates', 'emails', 'amounts']);
  });

  it('ignores the file if the prompt names fields', () => {
    expect(Object.keys(properties({ prompt: 'vessel name', pages: [BILL] }))).toEqual(['vessel_name']);
  });
});

describe('from an existing schema', () => {
  const dataSchema = {
    type: 'object',
    properties: { number: { type: 'string' }, notes: { type: 'string' } },
    required: ['number', 'notes'],
  };

  it('adds, removes and requires fields', () => {
    const { data_schema } = generateConfiguration({
      dataSchema,
      prompt: 'Add the due date.\nRemove notes.\nMake due date required.',
    }).parameters;
    expect(Object.keys(data_schema.properties ?? {})).toEqual(['number', 'due_date']);
    expect(data_schema.required).toEqual(['number', 'due_date']);
  });

  it('rejects an invalid schema and an empty request', () => {
    expect(() => generateConfiguration({ dataSchema: { type: 'array' } })).toThrow(Invalid);
    expect(() => generateConfiguration({})).toThrow(/names no fields/);
    expect(() => generateConfiguration({ pages: [printedPage([])] })).toThrow(Invalid);
  });
});

describe('with a model and an existing schema', () => {
  const { signal } = new AbortController();
  const refine = async (base: JsonSchema, prompt: string, data_schema: JsonSchema) => {
    const model = modelSaying({ name: 'x', data_schema });
    return (await generateSchemaWithModel({ model, prompt, pages: undefined, base, signal })).schema;
  };
  const object = (fields: Record<string, JsonSchema>, required?: string[]): JsonSchema => ({
    type: 'object',
    properties: fields,
    ...(required && { required }),
  });
  const [text, day]: JsonSchema[] = [{ type: 'string' }, { type: 'string', format: 'date' }];

  it('keeps schema parts at any depth that the model omits', async () => {
    const party = object({ name: text!, address: text! }, ['name']);
    const base = object({ invoiceNumber: text!, total: text!, party }, ['total']);
    const said = object({ due_date: day!, total: { type: 'number' }, party: object({ email: text! }) });
    const schema = await refine(base, 'Also add the due date', said);
    const whole = object({ name: text!, address: text!, email: text! }, ['name']);
    expect(schema).toEqual(
      object({ invoiceNumber: text!, total: { type: 'number' }, party: whole, due_date: day! }, ['total']),
    );
  });

  it('removes fields that the prompt asks to remove', async () => {
    const base = object({ invoiceNumber: text!, total: text! }, ['invoiceNumber', 'total']);
    const schema = await refine(base, 'Remove the invoice number.', object({ due_date: day! }));
    expect(schema).toEqual(object({ total: text!, due_date: day! }, ['total']));
  });
});
