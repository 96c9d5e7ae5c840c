import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Service, sleep } from './service.ts';
import { type Answer, type Question, structuredModel } from './structured-model.ts';

interface Source {
  path: string;
  page: number;
  text: string;
  confidence: number;
}

interface Job {
  id: string;
  status: string;
  attempt: number;
  error_message: string | null;
  extract_result: Record<string, unknown>;
  extract_metadata: {
    model: string;
    field_metadata: { document_metadata: Record<string, { citation: object[]; confidence: number }> };
  };
  result: { type: string | null; confidence: number; reasoning: string };
}

let answer: Answer = () => ({});
const { model, questions } = structuredModel((prompt, question) => answer(prompt, question));

let service: Service;

beforeAll(async () => {
  await model.start();
  service = new Service({
    LLM_BASE_URL: `${model.url}/v1`,
    LLM_MODEL: 'loopback-1',
    LLM_API_KEY: 'model-key',
  });
  await service.start();
});
afterAll(async () => {
  await service?.end();
  await model.stop();
});

async function run(product: string, body: object): Promise<Job> {
  questions.length = 0;
  const { id } = await service.call<Job>('POST', `/api/v2/${product}`, body);
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const job = await service.call<Job>('GET', `/api/v2/${product}/${id}`);
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job;
    await sleep(100);
  }
  throw new Error('the job did not end');
}

const evidence = { cite_sources: true, confidence_scores: true };

it('returns structured output of a parse, and completes without it if the model refuses', async () => {
  const file_id = await service.upload('b.txt', 'Total due: 1,163.40 EUR\nBuyer: Harbour Works\n');
  const data_schema = {
    type: 'object',
    properties: { total: { type: 'number' }, buyer: { type: 'string' } },
  };
  const configuration = { structured_output_json_schema: JSON.stringify(data_schema) };
  const structured = async () => {
    const { id, status } = await run('parse', { file_id, configuration });
    expect(status).toBe('COMPLETED');
    type Read = { structured: { value: object | null; model: string | null; error: string | null } };
    return (await service.call<Read>('GET', `/api/v2/parse/${id}?expand=structured`)).structured;
  };
  const sources = [{ path: '/0/total', page: 1, text: 'Total due: 1,163.40', confidence: 0.9 }];
  // The buyer in the model answer is on no page.
  answer = () => ({ values: [{ total: 1163.4, buyer: 'INV-9' }], sources });
  const said = await structured();
  expect(said).toMatchObject({ value: { total: 1163.4 }, model: 'loopback-1', error: null });
  expect(said.value).not.toMatchObject({ buyer: 'INV-9' });
  answer = () => ({ status: 401, text: '{"error":{"message":"wrong key"}}' });
  expect(await structured()).toMatchObject({ value: null, error: expect.stringMatching(/refused|401|key/) });
});

it('repairs the model answer and keeps only citations in the document', async () => {
  const file_input = await service.upload('a.txt', 'Total due: 1,163.40 EUR\nBuyer: Harbour Works\n');
  const data_schema = {
    type: 'object',
    properties: {
      total: { type: 'number' },
      buyer: { type: 'string' },
      seller: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      kind: { type: 'string', enum: ['invoice', 'receipt'] },
    },
  };
  const source = (path: string, text: string): Source => ({ path, page: 1, text, confidence: 0.9 });
  answer = () => ({
    values: [{ total: '1,163.40 EUR', buyer: 'Harbour Works', seller: 'Somebody Ltd', kind: 'poem' }],
    sources: [
      source('/0/total', '1,163.40 EUR'),
      source('/0/buyer', 'Harbour Works'),
      source('/0/seller', 'Seller: Somebody Ltd'),
    ],
  });
  const job = await run('extract', {
    file_input,
    configuration: { data_schema, ...evidence, system_prompt: 'Amounts are in euro.' },
  });
  expect(job).toMatchObject({ status: 'COMPLETED', error_message: null });
  expect(job.extract_metadata.model).toBe('loopback-1');
  expect(job.extract_result).toEqual({ total: 1163.4, buyer: 'Harbour Works', seller: 'Somebody Ltd' });
  const { total, buyer, seller } = job.extract_metadata.field_metadata.document_metadata;
  expect(total!.citation).toMatchObject([{ page: 1, matching_text: '1,163.40 EUR' }]);
  expect(buyer!.confidence).toBe(0.9);
  expect(seller!.citation).toEqual([]);
  expect(seller!.confidence).toBeLessThan(0.5);
  expect(questions).toHaveLength(1);
  expect(questions[0]!.response_format.json_schema.strict).toBe(true);
  expect(questions[0]!.messages[0]!.content).toContain('Amounts are in euro.');
  expect(model.received.at(-1)!.headers.authorization).toBe('Bearer model-key');
});

it('splits a long document and merges the answers', async () => {
  const filler = 'Nothing of interest stands on this line of the report. '.repeat(700);
  const text = (n: number) => `<h1>Part ${n}</h1><p>Item I-${n} and item I-shared. ${filler}</p>`;
  const pages = [1, 2, 3].map((n) => `From: a@b.example\n${text(n)}`);
  const file_input = await service.upload('long.md', pages.join('\n\n'));
  answer = (prompt) => {
    const items = [...prompt.matchAll(/item (I-\w+)/gi)].map((match) => ({ code: match[1] }));
    return { values: [{ items: items.slice(0, 50), note: null }], sources: [] };
  };
  const item = { type: 'object', properties: { code: { type: 'string' } } };
  const data_schema = { type: 'object', properties: { items: { type: 'array', items: item } } };
  const job = await run('extract', { file_input, configuration: { data_schema } });
  expect(job.status).toBe('COMPLETED');
  expect(questions.length).toBeGreaterThan(1);
  const codes = (job.extract_result.items as { code: string }[]).map(({ code }) => code);
  for (const code of ['I-1', 'I-2', 'I-3']) expect(codes.filter((each) => each === code)).toHaveLength(1);
});

it('splits a large schema', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `field_${n}`);
  const property = { type: 'string', description: 'A field with quite a long description. '.repeat(4) };
  const data_schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, property])),
  };
  answer = (_prompt, question) => {
    const schema = question.response_format.json_schema.schema as unknown as {
      properties: { values: { items: { properties: object } } };
    };
    const asked = Object.keys(schema.properties.values.items.properties);
    return { values: [Object.fromEntries(asked.map((name) => [name, `v ${name}`]))], sources: [] };
  };
  const file_input = await service.upload('b.txt', 'A short text.');
  const job = await run('extract', { file_input, configuration: { data_schema } });
  expect(questions.length).toBeGreaterThan(1);
  expect(job.extract_result).toEqual(Object.fromEntries(names.map((name) => [name, `v ${name}`])));
});

/** Returns the properties of the schema in a question, or of the items of a list. */
function listAskedFields(question: Question, list?: string): string[] {
  const { values } = question.response_format.json_schema.schema.properties as unknown as {
    values: { items: { properties: Record<string, { items: { properties: object } }> } };
  };
  const { properties } = values.items;
  return Object.keys(list ? (properties[list]?.items.properties ?? {}) : properties);
}

const CODES = ['A-1', 'B-2', 'C-3'];
const column = { type: 'string', description: 'A column with quite a long description. '.repeat(4) };
const columns = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`column_${n}`, column]));
const itemSchema = { type: 'object', properties: { code: { type: 'string' }, ...columns } };
/** Builds the model answer for an item with some members, and for all members together. */
const told = (code: string, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, name === 'code' ? code : `${code} ${name}`]));
const whole = CODES.map((code) => told(code, ['code', ...Object.keys(columns)]));

it('splits list items and merges them by their identifying fields', async () => {
  const file_input = await service.upload('e.txt', 'Articles A-1, B-2 and C-3.');
  let turn = 0;
  answer = (_prompt, question) => {
    turn += 1;
    const order = turn % 2 === 0 ? CODES.toReversed() : CODES;
    const names = listAskedFields(question, 'articles');
    return { values: [{ articles: order.map((code) => told(code, names)) }], sources: [] };
  };
  const data_schema = {
    type: 'object',
    properties: { articles: { type: 'array', items: { $ref: '#/$defs/article' } } },
    $defs: { article: itemSchema },
  };
  const job = await run('extract', { file_input, configuration: { data_schema } });
  expect(job.error_message).toBeNull();
  expect(questions.length).toBeGreaterThan(1);
  expect(questions[0]!.messages[0]!.content).toContain('one part of a larger one');
  expect(job.extract_result).toEqual({ articles: whole });
});

it('splits table rows', async () => {
  const file_input = await service.upload('f.txt', 'Articles A-1, B-2 and C-3.');
  answer = (_prompt, question) => {
    const names = listAskedFields(question);
    return { values: CODES.map((code) => told(code, names)), sources: [] };
  };
  const job = await run('extract', {
    file_input,
    configuration: { data_schema: itemSchema, extraction_target: 'per_table_row' },
  });
  expect(questions.length).toBeGreaterThan(1);
  expect(job.extract_result).toEqual(whole);
});

describe('generated schema', () => {
  interface Generated {
    name: string;
    model: string;
    note?: string | null;
    parameters: { data_schema: { properties: Record<string, object> } };
  }
  const generate = (body: object) => {
    questions.length = 0;
    return service.call<Generated>('POST', '/api/v2/extract/schema/generate', body);
  };
  const lease = { type: 'object', properties: { tenant: { type: 'string' }, rent: { type: 'number' } } };

  it('comes from the model, and can be saved and used', async () => {
    const file_id = await service.upload('lease.txt', 'Tenant: Ada Byron\nRent: 900.00 EUR\n');
    answer = () => ({ name: 'Lease terms', data_schema: lease });
    const generated = await generate({ prompt: 'tenant and monthly rent', file_id });
    expect(generated).toMatchObject({ name: 'Lease terms', model: 'loopback-1' });
    expect(generated.parameters.data_schema).toEqual(lease);
    const asked = questions[0]!.messages.at(-1)!.content;
    expect(questions[0]!.response_format.json_schema.strict).toBe(false);
    expect(asked).toContain('tenant and monthly rent');
    expect(asked).toContain('Tenant: Ada Byron');
    const saved = await service.call<{ id: string }>('POST', '/api/v1/beta/configurations', generated);
    answer = () => ({ values: [{ tenant: 'Ada Byron', rent: 900 }], sources: [] });
    const job = await run('extract', { file_input: file_id, configuration_id: saved.id });
    expect(job.extract_result).toEqual({ tenant: 'Ada Byron', rent: 900 });
  });

  it('extends a schema without loss and uses the given name', async () => {
    answer = () => ({
      name: 'x',
      data_schema: { type: 'object', properties: { deposit: { type: 'number' } } },
    });
    const generated = await generate({ data_schema: lease, name: 'Leases' });
    expect(generated.name).toBe('Leases');
    expect(Object.keys(generated.parameters.data_schema.properties)).toEqual(['tenant', 'rent', 'deposit']);
    expect(questions[0]!.messages.at(-1)!.content).toContain(JSON.stringify(lease));
  });

  it('is requested again with the reason if it breaks a rule', async () => {
    const broken = { type: 'object', properties: { tenant: { type: 'string', default: 'nobody' } } };
    answer = () => ({ name: 'Lease', data_schema: questions.length === 1 ? broken : lease });
    const generated = await generate({ prompt: 'tenant' });
    expect(generated.parameters.data_schema).toEqual(lease);
    expect(questions).toHaveLength(2);
    expect(questions[1]!.messages.at(-1)!.content).toContain('properties.tenant.default is not supported');
  });

  it.each([
    [
      'gives none that keeps the rules',
      () => ({ name: 'x', data_schema: { type: 'object', properties: {} } }),
      /breaks the rules/,
    ],
    ['refuses', () => ({ status: 401, text: '{"error":{"message":"bad key"}}' }), /answered 401/],
  ])('comes from the built-in generator if the model %s, with a note', async (_, reply, reason) => {
    answer = reply;
    const generated = await generate({ prompt: 'invoice number, total amount' });
    expect(generated).toMatchObject({ model: 'builtin', note: expect.stringMatching(reason) });
    expect(Object.keys(generated.parameters.data_schema.properties)).toEqual([
      'invoice_number',
      'total_amount',
    ]);
  });
});

it('retries an overloaded endpoint, and fails with the reason if refused', async () => {
  const file_input = await service.upload('c.txt', 'Name: Ada\n');
  const data_schema = { type: 'object', properties: { name: { type: 'string' } } };
  let calls = 0;
  answer = () => {
    calls += 1;
    return calls === 1 ? { status: 500, text: '{}' } : { values: [{ name: 'Ada' }], sources: [] };
  };
  const job = await run('extract', { file_input, configuration: { data_schema } });
  expect(job).toMatchObject({ status: 'COMPLETED', extract_result: { name: 'Ada' } });
  answer = () => ({ status: 401, text: '{"error":{"message":"bad key"}}' });
  const refused = await run('extract', { file_input, configuration: { data_schema } });
  expect(refused).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining('answered 401') });
  expect(refused.attempt).toBe(1);
});

it('classifies with the model and ignores quotations that are not in the document', async () => {
  const file_input = await service.upload('d.txt', 'Invoice number 7, total due 12 EUR');
  const rules = [{ type: 'invoice', description: 'A bill that asks for payment.' }];
  const told = { type: 'invoice', confidence: 0.95, reasoning: 'It asks for money.' };
  answer = () => ({ ...told, quote: 'total due 12 EUR' });
  const sure = await run('classify', { file_input, configuration: { rules } });
  expect(sure.result).toEqual({
    type: 'invoice',
    confidence: 0.95,
    reasoning: 'It asks for money. Evidence: "total due 12 EUR".',
  });
  answer = () => ({ ...told, quote: 'pay at once' });
  expect((await run('classify', { file_input, configuration: { rules } })).result.confidence).toBe(0.5);
  answer = () => ({ ...told, type: 'unheard of', quote: null });
  expect((await run('classify', { file_input, configuration: { rules } })).result.type).toBeNull();
});
