import { buildDocument, type Input } from '#test/process/hostile/input.ts';

const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const schema = { type: 'object', properties: { code: { type: 'string' } } };
const PAGES = 'Code: 7\n'.repeat(300);

const selects = (name: string, target_pages: () => string): Input => ({
  name: `pages: ${name}`,
  document: () => buildDocument('text.txt', PAGES),
  attack: async (attacker, document) => {
    const selection = target_pages();
    const parse = { configuration: { target_pages: selection } };
    await attacker.job('parse', document, parse);
    await attacker.job('extract', document, {
      configuration: { data_schema: schema, target_pages: selection },
    });
  },
});

const classifies = (name: string, rules: () => object[]): Input => ({
  name: `rules: ${name}`,
  document: () => buildDocument('text.txt', PAGES),
  attack: (attacker, document) => attacker.job('classify', document, { configuration: { rules: rules() } }),
});

const words = (from: number, count: number) =>
  many(count, (at) => `word${(from * 31 + at) % 4_999}`).join(' ');

/** Long selections, lists and names in requests for jobs. */
export const ranges: Input[] = [
  selects('1-999999999', () => '1-999999999'),
  selects('100,000 ranges', () => many(100_000, (at) => `${at * 3 + 1}-${at * 3 + 2}`).join()),
  selects('10,000 ranges in falling order', () => many(10_000, (at) => `${(10_000 - at) * 3}`).join()),
  selects('10,000 times the same long range', () => many(8_000, () => '1-999999999').join()),
  selects('one number of 1,000,000 digits', () => '9'.repeat(1_000_000)),
  selects('1,000,000 commas', () => ','.repeat(1_000_000)),
  classifies('500 long ones', () => many(500, (at) => ({ type: `type ${at}`, description: words(at, 200) }))),
  classifies('50,000', () =>
    many(50_000, (at) => ({ type: `type ${at}`, description: 'A document like it.' })),
  ),
  {
    name: 'a list of 1,000,000 languages',
    document: () => buildDocument('text.txt', PAGES),
    attack: (attacker, document) =>
      attacker.job('parse', document, { configuration: { languages: many(1_000_000, () => 'en') } }),
  },
  {
    name: 'a file name of 12,000 characters',
    attack: (attacker) => attacker.upload(buildDocument(`${'n'.repeat(12_000)}.txt`, PAGES)),
  },
  {
    name: 'a JSON body of 3,000 levels',
    attack: (attacker) =>
      attacker.send(
        'POST',
        '/api/v1/pipelines',
        JSON.parse(`{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`),
      ),
  },
];
