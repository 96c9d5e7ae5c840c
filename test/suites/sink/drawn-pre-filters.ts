import fc from 'fast-check';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Lookup, PreFilter } from '#src/sinks/external/pre-filter.ts';

export interface PreFilterVocabulary {
  /** Metadata keys that most documents and pre-filters use, so that they often meet. */
  keys: readonly string[];
  /** Length in characters of a text that the store cannot filter by. */
  longText: number;
  /** Returns whether the store can compare a key. Pre-filters contain no other keys. */
  isFilterable(key: string, how: Lookup): boolean;
}

/** Keys that are hard to encode, or that look like a path, an operator or a field of a store. */
const ODD_KEYS = [
  ...['', 'a b', 'a.b', '&.', 'r&d', "it's", '"', '\\', "'; drop table x; --", '{"a":1}', '[1]', '0', '5'],
  ...['$', '$eq', '$1', '$least', '%_', '*', 'true', 'null', 'sluice_index', '__proto__', 'constructor'],
  ...['a\u0000b', 'a\ufffdb', '\n', 'Ä', 'ü', '\u{1f600}', '\u{20bb7}', '\ud800'],
];
/** Texts that have a special meaning in some filter language or are hard to encode. */
const ODD_TEXTS = [
  ...ODD_KEYS,
  ...['x', 'a', '1', 'false', "''", "x' or 1 eq 1", "x') or (1 eq 1", `it's "odd"`, '\\"', '|', ',', ';'],
  ...['{}', '[]', '{"$ne": null}', '@> any', '$[*]', 'x\u0000'],
];
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
);
/** Numbers at the limits of the number types of the stores. */
const number = fc.oneof(
  fc.constantFrom(0, 1, 5),
  fc.constantFrom(-0, -1, 1.5, -1.5, 5.5, 0.1, 1e-7, 5e-324),
  fc.constantFrom(2 ** 31, 2 ** 40, 2 ** 53, -(2 ** 63), 2 ** 64, 1e21, 1e300),
);

/** Values that occur often in documents and in pre-filters, so that these match. */
const usualValue = fc.constantFrom('x', 'true', '5', 1, 5, true);
const scalar = fc.oneof({ weight: 3, arbitrary: usualValue }, text, number, fc.boolean());

/** Generates mostly usual keys, and some odd ones if there are any. */
function drawKey(usual: readonly string[], odd: readonly string[]): fc.Arbitrary<string> {
  const usualKey = fc.constantFrom(...usual);
  if (odd.length === 0) return usualKey;
  return fc.oneof({ weight: 4, arbitrary: usualKey }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
}

function drawDocuments({ keys, longText }: PreFilterVocabulary): fc.Arbitrary<Metadata[]> {
  const item = fc.oneof(fc.constantFrom('x', 'true', '5', 1, 5), text, number);
  const longList = Array.from({ length: 1_001 }, (_, at) => at);
  const value = fc.oneof(
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.oneof(fc.array(text, { maxLength: 3 }), fc.array(item, { maxLength: 3 })) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(longText), longList) },
  );
  const metadata = fc
    .uniqueArray(fc.tuple(drawKey(keys, ODD_KEYS), value), { selector: ([key]) => key, maxLength: 6 })
    // `Object.fromEntries` keeps a key named `__proto__`, which an assignment would lose.
    .map((members): Metadata => Object.fromEntries(members));
  return fc.array(metadata, { minLength: 6, maxLength: 12 });
}

function drawComparison({ keys, longText, isFilterable }: PreFilterVocabulary): fc.Arbitrary<PreFilter> {
  const keyFor = (how: Lookup) => {
    const [usual, odd] = [keys, ODD_KEYS].map((all) => all.filter((key) => isFilterable(key, how)));
    return usual!.length > 0 ? drawKey(usual!, odd!) : undefined;
  };
  const [equalKey, rangeKey] = [keyFor('oneOf'), keyFor('range')];
  const value = fc.oneof(
    { weight: 12, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constant('x'.repeat(longText)) },
  );
  const oneOf = fc.array(value, { minLength: 1, maxLength: 4 });
  return fc.oneof(
    ...(equalKey ? [fc.record({ key: equalKey, oneOf })] : []),
    ...(rangeKey
      ? [
          fc.record({ key: rangeKey, least: number }),
          fc.record({ key: rangeKey, most: number }),
          fc.record({ key: rangeKey, least: number, most: number }),
        ]
      : []),
  );
}

/** Generates metadata of documents, and pre-filters that a store can apply to it. */
export function drawPreFilters(vocabulary: PreFilterVocabulary) {
  const comparison = drawComparison(vocabulary);
  const { preFilter } = fc.letrec<{ preFilter: PreFilter }>((tie) => {
    const parts = fc.array(tie('preFilter'), { minLength: 2, maxLength: 3 });
    return {
      preFilter: fc.oneof(
        { depthSize: 'small' },
        { weight: 2, arbitrary: comparison },
        { weight: 1, arbitrary: parts.map((all): PreFilter => ({ all })) },
        { weight: 1, arbitrary: parts.map((any): PreFilter => ({ any })) },
      ),
    };
  });
  return {
    documents: drawDocuments(vocabulary),
    preFilters: fc.array(preFilter, { minLength: 20, maxLength: 30 }),
  };
}
