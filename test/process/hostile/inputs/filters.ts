import { buildDocument, type Input } from '#test/process/hostile/input.ts';

const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

const retrieves = (name: string, body: () => object): Input => ({
  name,
  document: () => buildDocument('note.txt', 'A note about lighthouses.'),
  async attack(attacker, document) {
    const id = await attacker.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID() });
    const file = await attacker.upload(document);
    await attacker.send('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id: file }]);
    await attacker.send('POST', `/api/v1/pipelines/${id}/retrieve`, { query: 'note 7 of f9', ...body() });
  },
});

const filters = (name: string, make: () => object[], condition = 'and') =>
  retrieves(`filters: ${name}`, () => ({ search_filters: { condition, filters: make() } }));
const inferring = (name: string, properties: () => object, query?: string) =>
  retrieves(`inferred filters: ${name}`, () => ({
    search_filters_inference_schema: { type: 'object', properties: properties() },
    ...(query && { query }),
  }));

/** What narrows a retrieval, and the question itself. */
export const narrowing: Input[] = [
  retrieves('a query of 1 MB', () => ({ query: 'lighthouse '.repeat(95_000) })),
  retrieves('a query of 100,000 words', () => ({ query: many(100_000, (at) => `w${at}`).join(' ') })),
  filters('1,000,000 values', () => [{ key: 'a', operator: 'in', value: many(1_000_000, (at) => at) }]),
  filters('10,000 values of 90 letters', () => [
    { key: 'a', operator: 'nin', value: many(10_000, (at) => `${at}${'v'.repeat(90)}`) },
  ]),
  filters('one text of 10 MB', () => [
    { key: 'a', operator: 'text_match_insensitive', value: 'v'.repeat(10_000_000) },
  ]),
  filters('a key of 5 MB', () => [{ key: 'k'.repeat(5_000_000), value: 1 }]),
  filters('1,000 lists of 10 that must all be there', () =>
    many(1_000, (at) => ({ key: `k${at}`, operator: 'all', value: many(10, (value) => `${value}`) })),
  ),
  filters('16 groups inside each other, 60 parts in each', () => {
    const parts = () => many(60, (at) => ({ key: `k${at}`, operator: 'contains', value: 'x' }));
    return many(14, () => 0).reduce<object[]>(
      (inner) => [{ condition: 'not', filters: inner }, ...parts()],
      parts(),
    );
  }),
  filters('huge and tiny numbers', () => [
    { key: 'a', operator: '>', value: 1e308 },
    { key: 'a', operator: '<', value: -1e308 },
    { key: 'a', operator: '==', value: 5e-324 },
  ]),
  inferring('1,000 properties', () =>
    Object.fromEntries(many(1_000, (at) => [`f${at}`, { type: 'integer' }])),
  ),
  inferring('100,000 properties', () => Object.fromEntries(many(100_000, (at) => [`f${at}`, {}]))),
  inferring(
    'an enum of 900 values',
    () => ({ kind: { enum: many(900, (at) => `note ${at}`) } }),
    many(300, (at) => `note ${at}`).join(' '),
  ),
];
