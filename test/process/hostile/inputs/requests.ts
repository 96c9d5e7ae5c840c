import type { Attacker } from '#test/process/hostile/attacker.ts';
import { buildDocument, type Input } from '#test/process/hostile/input.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** A query against a pipeline of its own. */
const retrieves = (name: string, body: () => object): Input => ({
  name,
  document: () => buildDocument('note.txt', 'A note about lighthouses.'),
  async attack(attacker, document) {
    const id = await attacker.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID() });
    const file = await attacker.upload(document);
    await attacker.send('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id: file }]);
    await attacker.send('POST', `/api/v1/pipelines/${id}/retrieve`, { query: 'note', ...body() });
  },
});

/** A list of a pipeline of its own. */
const lists = (name: string, of: string): Input => ({
  name,
  async attack(attacker) {
    const id = await attacker.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID() });
    await attacker.send('GET', `/api/v1/pipelines/${id}/${of}`);
  },
});

const get = (name: string, path: () => string): Input => ({
  name,
  attack: (attacker) => attacker.send('GET', path()),
});

const times = (count: number, make: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

function deepFilter(depth: number): object {
  let filter: object = { key: 'a', value: 1, operator: '==' };
  for (let level = 0; level < depth; level += 1) filter = { condition: 'and', filters: [filter] };
  return { filters: [filter] };
}

const one = (at: number) => ({ key: `k${at}`, value: at, operator: '==' });
const keyed = (attacker: Attacker) => ({ ...JSON_TYPE, authorization: attacker.authorization });

/** What is hostile before any document is read. */
export const requests: Input[] = [
  retrieves('a query of 20,000 characters', () => ({ query: 'lighthouse '.repeat(1819) })),
  retrieves('a query of 20,000 different words', () => ({
    query: Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' '),
  })),
  retrieves('a query of spaces', () => ({ query: ' '.repeat(20_000) })),
  retrieves('a query of signs', () => ({ query: '!?*()[]{}"\'`~^'.repeat(1500) })),
  retrieves('a query of one word of 20,000 letters', () => ({ query: 'a'.repeat(20_000) })),
  retrieves('a filter 400 deep', () => ({ search_filters: deepFilter(200) })),
  retrieves('a filter of 10,000 parts', () => ({
    search_filters: { condition: 'or', filters: Array.from({ length: 10_000 }, (_, at) => one(at)) },
  })),
  retrieves('a filter of 10,000 values', () => ({
    search_filters: {
      filters: [{ key: 'a', operator: 'in', value: Array.from({ length: 10_000 }, (_, at) => `v${at}`) }],
    },
  })),
  retrieves('top k of a million', () => ({ dense_similarity_top_k: 1_000_000, rerank_top_n: 1_000_000 })),
  get('one query parameter 500 times', () => `/api/v1/files?${'ids=x&'.repeat(500)}`),
  lists('a status 300 times', `files2?${'statuses=ERROR&'.repeat(300)}`),
  get('a type 500 times', () => `/api/v1/beta/configurations?${'product_type=parse&'.repeat(500)}`),
  get(
    'a name of 4,000 characters in a path',
    () => `/api/v1/files/${crypto.randomUUID()}/page-figures/0/${'a'.repeat(4000)}`,
  ),
  get('badly quoted text in a path', () => '/api/v1/files/%zz%ff%00'),
  {
    name: 'headers of 8,000 characters',
    attack: (attacker) =>
      times(10, (at) =>
        attacker.stream('/api/v1/session', 0, { ...JSON_TYPE, [`x-${at}`]: 'a'.repeat(8000) }),
      ),
  },
  {
    name: 'a Bearer key of 8,000 characters',
    attack: (attacker) =>
      times(10, () =>
        attacker.stream('/api/v1/pipelines', 0, { authorization: `Bearer ${'a'.repeat(8000)}` }),
      ),
  },
  {
    name: 'bodies of 100 MB without a key',
    attack: (attacker) => times(3, () => attacker.stream('/api/v1/session', 100, JSON_TYPE)),
  },
  {
    name: 'bodies of 100 MB with a key',
    attack: (attacker) => times(2, () => attacker.stream('/api/v1/pipelines', 100, keyed(attacker))),
  },
  {
    name: 'a form of 100 MB without a key',
    attack: (attacker) =>
      attacker.stream('/api/v1/files', 100, { 'content-type': 'multipart/form-data; boundary=b' }),
  },
  {
    name: 'a form of 50 MB without any boundary',
    attack: (attacker) =>
      attacker.stream('/api/v1/files', 50, {
        authorization: attacker.authorization,
        'content-type': 'multipart/form-data; boundary=b',
      }),
  },
  {
    name: '100 bodies of a byte a second',
    attack: (attacker) => times(100, () => attacker.trickle('/api/v1/session', 8, JSON_TYPE)),
  },
  {
    name: '50 uploads of 4 MB at once',
    attack: (attacker) => {
      const bytes = new Uint8Array(4 * MIB).fill(97);
      return times(50, (at) => attacker.upload({ name: `${at}.bin`, bytes }));
    },
  },
  {
    name: '150 requests at once',
    attack: (attacker) => times(150, () => attacker.send('GET', '/api/v1/pipelines')),
  },
];
