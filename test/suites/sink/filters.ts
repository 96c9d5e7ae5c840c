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

async function expectAsEvaluated(sink: Sink, held: Held[], filters: Filters): Promise<void> {
  const expected = held.filter(({ metadata }) => matches(metadata, filters)).map(({ id }) => id);
  expect(await idsNear(sink, 'x', filters), JSON.stringify(filters)).toEqual(expected.sort());
}

/** Returns a filter alone, negated and in groups with another filter. */
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

/** Tests that filters match exactly the chunks that the shared evaluator matches. */
export function filterRules({ fresh, preFilter, capabilities, oneFilterIn = 1 }: SinkFixture) {
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
            for (let from = 0; from < asked.length; from += AT_ONCE) {
              const some = asked.slice(from, from + AT_ONCE);
              await Promise.all(some.map((filters) => expectAsEvaluated(sink, held, filters)));
            }
          }),
          { numRuns: runs(8) },
        );
      });
    }
  });
}
