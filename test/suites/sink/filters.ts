import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metadataFilters } from '#src/retrieval/filter-schema.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { Filter, Filters, Metadata } from '#src/search/types.ts';
import type { Sink } from '#src/sinks/sink.ts';
import { runs } from '#test/support/seed.ts';
import { chunks, document } from './content.ts';
import { idsNear, type SinkFixture, write } from './fixture.ts';

interface Held {
  id: string;
  metadata: Metadata;
}

const AT_ONCE = 10;
/** Some pages each, and none: keys of pages are a chunk's own. */
const PAGES = [{}, { startPage: 0, endPage: 0 }, { startPage: 0, endPage: 1 }, { startPage: 1 }];

async function hold(sink: Sink, documents: Metadata[]): Promise<Held[]> {
  const held: Held[] = [];
  for (const [i, metadata] of documents.entries()) {
    const of = document(`doc ${i}`, 1, { metadata });
    const all = chunks(of.documentId, 1, ['a', 'b'].slice(0, 1 + (i % 2))).map((chunk) => ({
      ...chunk,
      ...PAGES[(i + chunk.position) % PAGES.length],
    }));
    await write(sink, of, all);
    for (const chunk of all) held.push({ id: chunk.id, metadata: { ...metadata, ...pageMetadata(chunk) } });
  }
  return held;
}

async function expectAsEvaluated(sink: Sink, held: Held[], filters: Filters): Promise<void> {
  const expected = held.filter(({ metadata }) => matches(metadata, filters)).map(({ id }) => id);
  expect(await idsNear(sink, 'x', filters), JSON.stringify(filters)).toEqual(expected.sort());
}

/** What the service lets through. */
const isAllowed = (filter: Filter) => metadataFilters.safeParse({ filters: [filter] }).success;

/** A filter by itself, negated, and in groups with one that holds for some. */
function nestings(filter: Filter, other: Filter, areNested: boolean): Filters[] {
  const flat: Filters[] = [
    { condition: 'and', filters: [filter] },
    { condition: 'not', filters: [filter] },
    { condition: 'and', filters: [filter, other] },
    { condition: 'or', filters: [filter, other] },
    { condition: 'not', filters: [filter, other] },
  ];
  if (!areNested) return flat;
  const not: Filters = { condition: 'not', filters: [filter] };
  return [
    ...flat,
    { condition: 'and', filters: [other, not] },
    { condition: 'or', filters: [not, { condition: 'and', filters: [filter, other] }] },
    { condition: 'not', filters: [{ condition: 'or', filters: [not, other] }] },
    { condition: 'and', filters: [{ condition: 'and', filters: [] }, filter] },
  ];
}

const DOCUMENTS: Metadata[] = [
  { text: 'Annual Report', number: 5, flag: true, list: ['a', 'b'], numbers: [1, 2] },
  { text: 'annual', number: 5.5, flag: false, list: ['b', 'a'], numbers: [2] },
  { text: '5', number: -1, list: ['Annual'], numbers: [] },
  { text: '', number: 0, flag: true, list: [''] },
  { text: 'Ärger', number: 2 ** 40, list: ['a'], numbers: [5, 5] },
  { text: null },
  {},
];
const KEYS = ['text', 'number', 'flag', 'list', 'numbers', 'missing', 'page_label', 'end_page_index'];
const VALUES: Filter['value'][] = [
  ...['Annual', 'a', '5', '', 'true', 'Ä', 5, 5.5, 0, -1, null],
  ...[['a', 'b'], ['5', 'Annual Report'], [5], [1, 2], []],
];

const textual = fc.constantFrom('', 'x', 'X', 'xy', 'true', '5', 'Äx', 'äX', '\u{1f600}', '\u{ff5e}', "it's");
const numeric = fc.constantFrom(-1, 0, 1, 2, 5, 5.5, 2 ** 40);
const scalar = fc.oneof(textual, numeric);
const list = fc.oneof(fc.array(textual, { maxLength: 3 }), fc.array(numeric, { maxLength: 3 }));
const key = fc.constantFrom('a', 'b', `it's "odd"`, 'page_label');
const metadata: fc.Arbitrary<Metadata> = fc.dictionary(
  key,
  fc.oneof(scalar, fc.boolean(), fc.constant(null), list),
  { noNullPrototype: true },
);

/** Which chunks filters let through: exactly those that the shared evaluator lets through. */
export function filterRules({ fresh, capabilities, oneFilterIn = 1 }: SinkFixture) {
  const { operators, nesting } = capabilities.filters;
  if (operators.length === 0) return;

  describe('filters', () => {
    test.each(operators)(
      '%s means what it means everywhere, of every type and in every group',
      async (operator) => {
        const sink = fresh()();
        const held = await hold(sink, DOCUMENTS);
        const other: Filter = {
          key: 'flag',
          operator: operators.includes('==') ? '==' : operator,
          value: 'true',
        };
        let [asked, number] = [0, 0];
        for (const key of KEYS) {
          for (const value of VALUES) {
            const filter: Filter = { key, operator, value };
            if (!isAllowed(filter) || !isAllowed(other) || number++ % oneFilterIn > 0) continue;
            const all = nestings(filter, other, nesting);
            await Promise.all(all.map((filters) => expectAsEvaluated(sink, held, filters)));
            asked += all.length;
          }
        }
        expect(asked).toBeGreaterThan(0);
      },
    );

    test('mean the same for whatever data and filters are drawn', async () => {
      const leaf: fc.Arbitrary<Filter> = fc
        .record({
          key,
          operator: fc.constantFrom(...operators),
          value: fc.oneof(scalar, list, fc.constant(null)),
        })
        .filter(isAllowed)
        .map((filter) => ({ ...filter }));
      const condition = fc.constantFrom<Filters['condition']>('and', 'or', 'not');
      const { filters } = fc.letrec<{ filters: Filters; part: Filter | Filters }>((tie) => ({
        filters: fc
          .record({ condition, filters: fc.array(nesting ? tie('part') : leaf, { maxLength: 4 }) })
          .map((group) => ({ ...group })),
        part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('filters')),
      }));
      const draw = [
        fc.array(metadata, { minLength: 6, maxLength: 16 }),
        fc.array(filters, { minLength: 40, maxLength: 60 }),
      ] as const;
      await fc.assert(
        fc.asyncProperty(...draw, async (documents, asked) => {
          const sink = fresh()();
          const held = await hold(sink, documents);
          for (let from = 0; from < asked.length; from += AT_ONCE) {
            const some = asked.slice(from, from + AT_ONCE);
            await Promise.all(some.map((filters) => expectAsEvaluated(sink, held, filters)));
          }
        }),
        { numRuns: runs(8) },
      );
    });
  });
}
