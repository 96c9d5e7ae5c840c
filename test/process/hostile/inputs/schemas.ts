import { buildDocument, type Input } from '#test/process/hostile/input.ts';
import { DOUBLINGS, doublingSchema, HUGE_SCHEMA } from '#test/support/large-schemas.ts';

type Schema = Record<string, unknown>;

const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const fields = (count: number, make: (at: number) => unknown): Schema =>
  Object.fromEntries(many(count, (at) => [`f${at}`, make(at)]));
const object = (properties: Schema, more: Schema = {}) => ({ type: 'object', properties, ...more });

const ROWS = `name,amount,code\n${many(5_000, (at) => `thing ${at},${at},c${at % 7}`).join('\n')}\n`;
const LINES = many(300, (at) => `F${at}: value ${at}`).join('\n');

const extracts = (name: string, data_schema: Schema, text = LINES, more: object = {}): Input => ({
  name: `a schema: ${name}`,
  document: () => buildDocument(text === ROWS ? 'rows.csv' : 'text.txt', text),
  attack: (attacker, document) =>
    attacker.job('extract', document, { configuration: { data_schema, ...more } }),
});

const doubled = Object.entries(DOUBLINGS).map(([keyword, double]) =>
  extracts(`${keyword} doubled 26 times`, doublingSchema(double, 26)),
);

/** Schemas that are short as JSON and long to work with. */
export const schemas: Input[] = [
  ...doubled,
  extracts(
    'properties doubled within their levels',
    doublingSchema((inner) => object(fields(12, () => ({ ...inner }))), 6),
  ),
  extracts('as much doubling as is allowed', doublingSchema(DOUBLINGS.anyOf!, 9)),
  extracts(
    'lists of itself',
    object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { items: { $ref: '#/$defs/a' } } } }),
  ),
  extracts(
    'properties of any name like itself',
    object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { additionalProperties: { $ref: '#/$defs/a' } } } }),
  ),
  extracts(
    'a chain of 2,500 references',
    object(
      { a: { $ref: '#/$defs/d0' } },
      {
        $defs: Object.fromEntries(
          many(2_500, (at) => [`d${at}`, { anyOf: [{ $ref: `#/$defs/d${at + 1}` }] }]),
        ),
      },
    ),
  ),
  extracts(
    '2,000 properties around 2,000 alternatives',
    object(
      fields(2_000, () => ({})),
      { anyOf: many(2_000, () => ({})) },
    ),
  ),
  extracts(
    'rows with 1,000 alternatives each',
    object({ rows: { type: 'array', items: { anyOf: many(1_000, (at) => ({ const: at })) } } }),
    ROWS,
  ),
  extracts(
    'a list of 5,000 rows that must differ',
    object({
      rows: {
        type: 'array',
        uniqueItems: true,
        items: object({ name: { type: 'string' }, amount: { type: 'number' } }),
      },
    }),
    ROWS,
  ),
  extracts('200 patterns', object(fields(200, (at) => ({ type: 'string', pattern: `^${at}[a-z ]{1,90}$` })))),
  extracts(
    '200 large patterns',
    object(fields(200, (at) => ({ type: 'string', pattern: `${at}(a?){500}$` }))),
  ),
  extracts(
    '2,500 patterns of names',
    object(
      fields(200, () => ({})),
      { patternProperties: Object.fromEntries(many(2_500, (at) => [`^f.*${at}$`, {}])) },
    ),
  ),
  extracts(
    'an enum of 9,000 values used 500 times',
    object(
      fields(500, () => ({ allOf: [{ $ref: '#/$defs/e' }] })),
      { $defs: { e: { enum: [null, ...many(9_000, (at) => at)] } } },
    ),
  ),
  extracts('4,000 fields that may be null', object(fields(4_000, () => ({ type: ['string', 'null'] })))),
  extracts(
    '900 references to one large object',
    object({ big: object(fields(60, () => ({}))), ...fields(900, () => ({ $ref: '#/properties/big' })) }),
  ),
  {
    name: 'a schema: a text of 140,000 levels',
    document: () => buildDocument('text.txt', LINES),
    attack: (attacker, document) =>
      attacker.job('parse', document, {
        configuration: {
          structured_output: true,
          structured_output_json_schema: '['.repeat(70_000) + ']'.repeat(70_000),
        },
      }),
  },
  {
    name: 'a schema: doubled 26 times, for a parse',
    document: () => buildDocument('text.txt', LINES),
    attack: (attacker, document) =>
      attacker.job('parse', document, {
        configuration: {
          structured_output: true,
          structured_output_json_schema: JSON.stringify(HUGE_SCHEMA),
        },
      }),
  },
  {
    name: 'a schema: doubled 26 times, saved and generated from',
    async attack(attacker) {
      const parameters = { product_type: 'extract_v2', data_schema: HUGE_SCHEMA };
      await attacker.send('POST', '/api/v1/beta/configurations', { name: 'huge', parameters });
      await attacker.send('POST', '/api/v2/extract/schema/generate', { data_schema: HUGE_SCHEMA });
      await attacker.send('POST', '/api/v2/extract/schema/validation', { data_schema: HUGE_SCHEMA });
    },
  },
];
