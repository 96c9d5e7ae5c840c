import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Filter, Filters, Metadata } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';
import { runs } from '#test/support/seed.ts';
import { chunks, document } from './content.ts';
import { drawnFilters, drawnMetadata, isAllowed } from './drawn.ts';
import { idsNear, type SinkFixture, write } from './fixture.ts';

interface Held {
  id: string;
  metadata: Metadata;
}

const AT_ONCE = 10;
/** Number of random sets of documents for every store, each with 40 to 60 random filters. */
const RANDOM_CASES = 8;
/** Number of groups in which each filter is evaluated, besides the filter alone. */
const GROUPS_PER_FILTER = 1;
/** Page ranges of chunks, with and without pages. */
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

/** Compares the answers to filters with the reference evaluator, a few at once. */
async function expectAllAsEvaluated(sink: Sink, held: Held[], filters: Filters[]): Promise<void> {
  for (let from = 0; from < filters.length; from += AT_ONCE) {
    const some = filters.slice(from, from + AT_ONCE);
    await Promise.all(some.map((each) => expectAsEvaluated(sink, held, each)));
  }
}

async function expectAsEvaluated(sink: Sink, held: Held[], filters: Filters): Promise<void> {
  const expected = held.filter(({ metadata }) => matches(metadata, filters)).map(({ id }) => id);
  expect(await idsNear(sink, 'x', filters), JSON.stringify(filters)).toEqual(expected.sort());
}

/** Returns groups that contain a filter and another filter, with all conditions and, if supported, nested. */
function buildGroups(filter: Filter, other: Filter, areNested: boolean): Filters[] {
  const not: Filters = { condition: 'not', filters: [filter] };
  const flat: Filters[] = [
    not,
    { condition: 'and', filters: [filter, other] },
    { condition: 'or', filters: [filter, other] },
    { condition: 'not', filters: [filter, other] },
  ];
  if (!areNested) return flat;
  return [
    ...flat,
    { condition: 'and', filters: [other, not] },
    { condition: 'or', filters: [not, { condition: 'and', filters: [filter, other] }] },
    { condition: 'not', filters: [{ condition: 'or', filters: [not, other] }] },
    { condition: 'and', filters: [{ condition: 'and', filters: [] }, filter] },
  ];
}

/** Returns a filter alone and in some of its groups. `turn` chooses the groups, so that all of them take turns. */
function selectNestings(filter: Filter, other: Filter, areNested: boolean, turn: number): Filters[] {
  const groups = buildGroups(filter, other, areNested);
  const count = Math.min(groups.length, runs(GROUPS_PER_FILTER));
  return [
    { condition: 'and', filters: [filter] },
    ...Array.from({ length: count }, (_, at) => groups[(turn + at) % groups.length]!),
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

/** Tests that filters match exactly the chunks that the shared evaluator matches. */
export function filterRules({ fresh, preFilter, capabilities }: SinkFixture) {
  const { operators, nesting } = capabilities.filters;
  if (operators.length === 0) return;

  describe('filters', () => {
    test.each(operators)('%s has the same meaning for every type and group', async (operator) => {
      const sink = fresh()();
      const held = await hold(sink, DOCUMENTS);
      const other: Filter = {
        key: 'flag',
        operator: operators.includes('==') ? '==' : operator,
        value: 'true',
      };
      let asked = 0;
      for (const [row, key] of KEYS.entries()) {
        const all = VALUES.flatMap((value, column) => {
          const filter: Filter = { key, operator, value };
          const areAllowed = isAllowed(filter) && isAllowed(other);
          return areAllowed ? selectNestings(filter, other, nesting, row + column) : [];
        });
        await expectAllAsEvaluated(sink, held, all);
        asked += all.length;
      }
      expect(asked).toBeGreaterThan(0);
    });

    const draw = [
      fc.array(drawnMetadata, { minLength: 6, maxLength: 16 }),
      fc.array(drawnFilters(operators, nesting), { minLength: 40, maxLength: 60 }),
    ] as const;

    const openings = [
      ['the documents that pass are few', fresh],
      ['the store is told what passes in its own terms', preFilter],
    ] as const;
    for (const [when, opened] of openings) {
      if (!opened) continue;
      test(`match the reference implementation for random data and filters where ${when}`, async () => {
        await fc.assert(
          fc.asyncProperty(...draw, async (documents, asked) => {
            const sink = opened()();
            const held = await hold(sink, documents);
            await expectAllAsEvaluated(sink, held, asked);
          }),
          { numRuns: runs(RANDOM_CASES) },
        );
      });
    }
  });
}
