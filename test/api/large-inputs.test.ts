import { beforeAll, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { INVOICE_SCHEMA } from '#test/support/jobs.ts';

const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

let pipeline = '';
let file = '';
beforeAll(async () => {
  const { body } = await call<{ id: string }>('POST', '/api/v1/pipelines', {
    body: { name: 'large inputs' },
  });
  pipeline = body.id;
  file = await upload('note.txt', 'A note about lighthouses.');
});

const numbers = { key: 'a', operator: 'in', value: many(10_001, (at) => at) };
const long = { key: 'a', operator: 'text_match', value: 'v'.repeat(1_000_001) };
const names = { properties: Object.fromEntries(many(1_001, (at) => [`f${at}`, {}])) };
const listed = { properties: { kind: { enum: many(1_001, (at) => `k${at}`) } } };
const described = { properties: { kind: { description: 'd'.repeat(150_000) } } };
const ranges = many(30_000, (at) => at * 3 + 1).join();

type Refused = [what: string, path: () => string, body: () => object, field: string, why: string];
const retrieve = () => `/api/v1/pipelines/${pipeline}/retrieve`;
const chat = () => `/api/v1/pipelines/${pipeline}/chat`;
const pipelines = () => '/api/v1/pipelines';
const filtered = (filter: object) => () => ({ query: 'note', search_filters: { filters: [filter] } });
const inferring = (schema: object) => () => ({ query: 'note', search_filters_inference_schema: schema });
const preset = (preset_retrieval_parameters: object) => () => ({
  name: 'too large',
  preset_retrieval_parameters,
});
const says = (content: string) => ({ role: 'user', content });

const REFUSED: Refused[] = [
  ['values of a filter', retrieve, filtered(numbers), 'search_filters', 'at most 10000'],
  ['text of a filter', retrieve, filtered(long), 'search_filters', '1000000 characters'],
  [
    'values of a saved filter',
    pipelines,
    preset({ search_filters: { filters: [numbers] } }),
    'search_filters',
    '10000',
  ],
  ['properties to infer', retrieve, inferring(names), 'search_filters_inference_schema', 'at most 1000'],
  ['values to infer', retrieve, inferring(listed), 'search_filters_inference_schema', 'at most 1000'],
  ['texts to infer by', retrieve, inferring(described), 'search_filters_inference_schema', 'at most 150000'],
  [
    'properties to infer, saved',
    pipelines,
    preset({ search_filters_inference_schema: names }),
    'search_filters_inference_schema',
    'at most 1000',
  ],
  [
    'filters that are none',
    retrieve,
    () => ({ query: 'note', search_filters: { filters: many(200_000, () => ({})) } }),
    'search_filters',
    'at most 1000',
  ],
  ['values', retrieve, () => ({ query: 'note', any: many(1_000_001, () => 0) }), 'body', '1000000 members'],
  ['query', retrieve, () => ({ query: 'word '.repeat(20_000) }), 'query', '20000 characters'],
  ['messages', chat, () => ({ messages: many(10_001, () => says('What?')) }), 'messages', '10000'],
  ['question', chat, () => ({ messages: [says('word '.repeat(20_000))] }), 'messages', '20000 characters'],
  [
    'pages of a parse',
    () => '/api/v2/parse',
    () => ({ file_id: file, configuration: { target_pages: ranges } }),
    'target_pages',
    '100000 characters',
  ],
  [
    'pages of an extraction',
    () => '/api/v2/extract',
    () => ({ file_input: file, configuration: { data_schema: INVOICE_SCHEMA, target_pages: ranges } }),
    'target_pages',
    '100000 characters',
  ],
  [
    'rules of a classification',
    () => '/api/v2/classify',
    () => ({
      file_input: file,
      configuration: { rules: many(501, (at) => ({ type: `t${at}`, description: 'A document like it.' })) },
    }),
    'rules',
    '500',
  ],
  [
    'languages of a parse',
    () => '/api/v2/parse',
    () => ({ file_id: file, configuration: { languages: many(1_000, () => 'en') } }),
    'languages',
    'at most',
  ],
];

it.each(REFUSED)('exceeding a limit is rejected with the field: %s', async (_, path, body, field, why) => {
  const answer = await call('POST', path(), { body: body() });
  const said = JSON.stringify(answer.body);
  expect(answer.status, said.slice(0, 500)).toBe(422);
  expect(said).toContain(field);
  expect(said).toContain(why);
  expect(said.length).toBeLessThan(5_000);
});

it('a body with 501 levels is rejected, and one with 500 levels is read', async () => {
  const nested = (levels: number) => JSON.parse(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
  const metadata = (levels: number) => ({ body: { query: 'note', custom: nested(levels) } });
  const tooDeep = await call('POST', retrieve(), metadata(500));
  expect([tooDeep.status, JSON.stringify(tooDeep.body)]).toEqual([
    422,
    expect.stringContaining('500 levels'),
  ]);
  expect(JSON.stringify((await call('POST', retrieve(), metadata(499))).body)).not.toContain('500 levels');
});
