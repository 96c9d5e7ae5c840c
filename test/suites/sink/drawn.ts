import fc from 'fast-check';
import type { Filter, FilterOperator, Filters, Metadata } from '#src/ports/index-types.ts';
import { metadataFilters } from '#src/retrieval-contract/filter-schema.ts';

const textual = fc.oneof(
  { weight: 1, arbitrary: fc.constant('true') },
  {
    weight: 4,
    arbitrary: fc.constantFrom('', 'x', 'X', 'xy', '5', 'Äx', 'äX', '\u{1f600}', '\u{ff5e}', "it's"),
  },
);
const numeric = fc.constantFrom(-1, 0, 1, 2, 5, 5.5, 2 ** 40);
const scalar = fc.oneof(textual, numeric);
const list = fc.oneof(fc.array(textual, { maxLength: 3 }), fc.array(numeric, { maxLength: 3 }));
const hostileKey = fc.constantFrom('a.b', `it's "odd"`, '__proto__', 'constructor', 'page_label');
/** Generates mostly a few fixed keys, so that filters match keys of documents. */
const key = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 1, arbitrary: hostileKey },
);

/** Generates document metadata with keys that filters use. */
export const drawnMetadata: fc.Arbitrary<Metadata> = fc
  .uniqueArray(fc.tuple(key, fc.oneof(scalar, fc.boolean(), fc.constant(null), list)), {
    selector: ([name]) => name,
  })
  .map((entries): Metadata => Object.fromEntries(entries));

/** Returns whether the API accepts a filter. */
export const isAllowed = (filter: Filter) => metadataFilters.safeParse({ filters: [filter] }).success;

/** Generates groups of valid filters, nested if supported. */
export function drawnFilters(
  operators: readonly FilterOperator[],
  areNested: boolean,
): fc.Arbitrary<Filters> {
  const leaf: fc.Arbitrary<Filter> = fc
    .record({
      key,
      operator: fc.constantFrom(...operators),
      value: fc.oneof(scalar, list, fc.constant(null)),
    })
    .filter(isAllowed)
    .map((filter) => ({ ...filter }));
  const condition = fc.constantFrom<Filters['condition']>('and', 'or', 'not');
  return fc.letrec<{ filters: Filters; part: Filter | Filters }>((tie) => ({
    filters: fc
      .record({ condition, filters: fc.array(areNested ? tie('part') : leaf, { maxLength: 4 }) })
      .map((group) => ({ ...group })),
    part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('filters')),
  })).filters;
}
