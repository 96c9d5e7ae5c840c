import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver, type Reply } from './receiver.ts';
import { Service, sleep } from './service.ts';

interface Question {
  model: string;
  messages: { role: string; content: string }[];
  response_format: { type: string; json_schema: { schema: { properties: Record<string, never> } } };
}

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

let answer: (prompt: string, question: Question) => object | Reply = () => ({});
const questions: Question[] = [];

/** Speaks chat completions as far as one structured answer needs it, and refuses what is not in the protocol. */
const model = new Receiver((path, _n, body) => {
  const question = JSON.parse(body.toString('utf8')) as Question;
  const format = question.response_format;
  if (path !== '/v1/chat/completions' || format?.type !== 'json_schema' || !format.json_schema.schema) {
    return { status: 400, text: '{"error":{"message":"not in the protocol"}}' };
  }
  questions.push(question);
  const content = answer(question.messages.at(-1)!.content, question);
  const headers = { 'content-type': 'application/json' };
  if ('status' in content) return { ...content, headers } as Reply;
  const message = { role: 'assistant', content: JSON.stringify(content) };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: question.model,
    choices,
    usage,
  };
  return { status: 200, headers, text: JSON.stringify(completion) };
});

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
  for (let waited = 0; waited < 60_000; waited += 100) {
    const job = await service.call<Job>('GET', `/api/v2/${product}/${id}`);
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job;
    await sleep(100);
  }
  throw new Error('the job did not end');
}

const evidence = { cite_sources: true, confidence_scores: true };

it('repairs what the model answers and keeps only sources that are in the document', async () => {
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
  expect(questions[0]!.messages[0]!.content).toContain('Amounts are in euro.');
  expect(model.received.at(-1)!.headers.authorization).toBe('Bearer model-key');
});

it('asks about a long document in parts and joins what they say', async () => {
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

it('asks for a large schema in parts', async () => {
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

it('tries again when the endpoint is overloaded, and gives up with the reason when it refuses', async () => {
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

it('classifies with the model, and trusts no quotation that is not there', async () => {
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
