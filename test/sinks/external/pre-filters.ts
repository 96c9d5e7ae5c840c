import fc from 'fast-check';
import type { Metadata } from '#src/ports/index-types.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { toDirection } from '#test/suites/sink/content.ts';

export { passes } from '#test/suites/sink/passes.ts';

/** Texts that have a special meaning in some filter language or are hard to encode. */
export const HOSTILE = [
  ...[
    '',
    'x',
    '5',
    'true',
    'null',
    "it's",
    "''",
    "x' or 1 eq 1",
    "x') or (1 eq 1",
    '"',
    '\\',
    '\\"',
    '|',
    ',',
    ';',
  ],
  ...[
    '$eq',
    '$',
    'a.b',
    '&',
    '&.',
    '*',
    '%',
    '_',
    '{}',
    '[]',
    '\u0000',
    '\n',
    'Ä',
    '\u{1f600}',
    '\ud800',
    '__proto__',
  ],
];
const text = fc.constantFrom(...HOSTILE);
const number = fc.constantFrom(0, -0, 1, -1.5, 5, 2 ** 31, 2 ** 40, 1e21, 1e-7, Number.POSITIVE_INFINITY);
const longText = fc.constant('x'.repeat(9_000));
const longList = fc.constant(Array.from({ length: 1_001 }, (_, i) => i));
const value = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(text, number, fc.boolean(), fc.constant(null)) },
  { weight: 3, arbitrary: fc.oneof(fc.array(text, { maxLength: 3 }), fc.array(number, { maxLength: 3 })) },
  { weight: 1, arbitrary: fc.oneof(longText, longList) },
);

/** Generates metadata and pre-filters with the same keys. */
export function drawn(keys: readonly string[]) {
  const key = fc.constantFrom(...keys);
  const metadata: fc.Arbitrary<Metadata> = fc.dictionary(key, value, { noNullPrototype: true, maxKeys: 5 });
  const oneOf = fc.array(fc.oneof(text, number, fc.boolean(), longText), { minLength: 1, maxLength: 4 });
  const bound = fc.option(number, { nil: undefined });
  const { preFilter } = fc.letrec<{ preFilter: PreFilter }>((tie) => ({
    preFilter: fc.oneof(
      { depthSize: 'small' },
      fc.record({ key, oneOf }),
      fc.record({ key, least: bound, most: bound }).map(({ key: of, least, most }) => ({
        key: of,
        ...(least !== undefined && { least }),
        ...(most !== undefined && { most }),
      })),
      fc.array(tie('preFilter'), { minLength: 2, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('preFilter'), { minLength: 2, maxLength: 3 }).map((any) => ({ any })),
    ),
  }));
  return {
    documents: fc.array(metadata, { minLength: 6, maxLength: 12 }),
    preFilters: fc.array(preFilter, { minLength: 15, maxLength: 25 }),
  };
}

/** Returns one point for a document. */
export const toVectorPoint = (metadata: Metadata, at: number): VectorPoint => ({
  id: crypto.randomUUID(),
  documentId: String(at),
  version: 1,
  position: 0,
  nodeId: `node ${at}`,
  text: 'walrus',
  title: 'Annual report',
  metadata,
  pages: {},
  vector: toDirection(String(at)),
});
