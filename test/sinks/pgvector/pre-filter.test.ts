import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { toPoints } from '#src/sinks/external/points.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { isFilterable } from '#src/sinks/pgvector/pre-filter-sql.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { passes } from '#test/suites/sink/passes.ts';
import { ask, component, open } from './pgvector.ts';

// The first connection starts the database, which takes time.
beforeAll(() => ask('select 1'), 120_000);

const TEXTS = [
  ...[
    'a',
    "'",
    '"',
    `'; drop table x; --`,
    '$1',
    '$least',
    '{"a":1}',
    '[1]',
    'true',
    '1',
    'null',
    '',
    '\\',
    '%_',
  ],
  ...['a\0b', 'a\ufffdb', '\ud800', 'é', '\u{1f600}', '@> any', '$[*]', '__proto__'],
];
const NUMBERS = [0, -0, 1, 1.5, -3, 0.1, 2 ** 53, 1e21, 1e300, 5e-324];
const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
const key = fc.constantFrom(...TEXTS.filter(isFilterable));
const metadata = fc.dictionary(
  key,
  fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.array(fc.oneof(text, number), { maxLength: 3 })),
  { maxKeys: 8 },
);
const { preFilter } = fc.letrec<{ preFilter: PreFilter }>((tie) => ({
  preFilter: fc.oneof(
    { maxDepth: 3 },
    fc.record({ key, oneOf: fc.array(fc.oneof(text, number, fc.boolean()), { maxLength: 4 }) }),
    fc.record({ key, least: number, most: number }, { requiredKeys: ['key'] }),
    fc.record({ all: fc.array(tie('preFilter'), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('preFilter'), { maxLength: 3 }) }),
  ),
}));

it('pre-filter passes every matching document and few others', async () => {
  const store = open(component());
  await store.ensure(8);
  const documents = fc.sample(metadata, 150);
  for (const [i, each] of documents.entries()) {
    await store.upsert(
      await toPoints('index', document(`d${i}`, 1, { metadata: each }), chunks(`d${i}`, 1, ['x'])),
    );
  }
  let passed = 0;
  let narrowed = 0;
  for (const drawn of fc.sample(preFilter, 300)) {
    const found = await store.query(toDirection('x'), 1_000, { preFilter: drawn });
    const ids = new Set(found.map(({ documentId }) => documentId));
    const expected = documents.flatMap((each, i) => (passes(each, drawn) ? [`d${i}`] : []));
    expect(
      expected.filter((id) => !ids.has(id)),
      JSON.stringify(drawn),
    ).toEqual([]);
    passed += expected.length;
    narrowed += ids.size;
  }
  expect(passed).toBeGreaterThan(1_000);
  // Values that the database cannot represent (null characters, lone surrogates) also pass.
  expect(narrowed).toBeLessThan(1.2 * passed);
});

it.each([
  ['a\0b', false],
  ['\ud800', false],
  ['a\ufffd', false],
  [`'; drop table x; --`, true],
])('key %j can be filtered: %s', (name, expected) => {
  expect(isFilterable(name)).toBe(expected);
});
