import { buildDocument, type Input } from '#test/process/hostile/input.ts';

const string = (more: object) => ({ type: 'object', properties: { code: { type: 'string', ...more } } });

const extracts = (name: string, text: string, data_schema: object): Input => ({
  name,
  document: () => buildDocument('text.txt', text),
  attack: (attacker, document) => attacker.job('extract', document, { configuration: { data_schema } }),
});

const CODE = `Code: ${'a'.repeat(40)}!\n`;

function deepSchema(depth: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

/** What callers give to jobs: patterns, formats, schemas, rules. */
export const jobs: Input[] = [
  extracts('a pattern that backtracks', CODE, string({ pattern: '^(a+)+$' })),
  extracts('a pattern of alternatives that backtracks', CODE, string({ pattern: '^(a|a|aa)+$' })),
  extracts('a pattern of a thousand repetitions', CODE, string({ pattern: '^(a{1,1000}){1,1000}$' })),
  extracts('a pattern of property names that backtracks', CODE, {
    type: 'object',
    properties: { code: { type: 'string' } },
    patternProperties: { '^(a+)+$': { type: 'string' } },
  }),
  extracts('format url', `Code: http://${'a'.repeat(60)}\n`, string({ format: 'url' })),
  extracts('format uri', `Code: http://${'a:'.repeat(5_000)}\n`, string({ format: 'uri' })),
  extracts('format email', `Code: ${'a.'.repeat(5_000)}@\n`, string({ format: 'email' })),
  extracts('a schema 400 deep', CODE, deepSchema(400)),
  extracts('a schema that refers to itself', CODE, {
    type: 'object',
    properties: { code: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/a' } },
  }),
  extracts('a schema of 2,000 properties', CODE.repeat(500), {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${at}`, { type: 'string' }])),
  }),
  extracts(
    'digits, 2 MB, into an extraction',
    '1'.repeat(2_000_000),
    string({ description: 'telephone number' }),
  ),
  {
    name: 'letters and at signs, 1 MB, into a classification',
    document: () => buildDocument('text.txt', 'a@'.repeat(500_000)),
    attack: (attacker, document) =>
      attacker.job('classify', document, {
        configuration: { rules: [{ type: 'mail', description: 'An e-mail address '.repeat(20) }] },
      }),
  },
  {
    name: "a bucket's pattern that backtracks",
    attack: (attacker) =>
      attacker.make('POST', '/api/v1/data-sources', {
        name: 'bucket',
        source_type: 'S3',
        component: { bucket: 'b', regex_pattern: '^(a+)+$', aws_access_id: 'a', aws_access_secret: 'b' },
      }),
  },
];
