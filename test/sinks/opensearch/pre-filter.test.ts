import { describe, expect, it } from 'vitest';
import type { Metadata } from '#src/ports/index-types.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';
import { openStore, PRODUCTS } from './stores.ts';

useVendors(...PRODUCTS);

for (const product of PRODUCTS) {
  preFilterSuite({
    name: product.name,
    open: (indexId) => openStore(product, {}, indexId),
    longText: 33_000,
    leastExcluded: 0.95,
  });
}

const DOCUMENTS: Metadata[] = [
  { year: 2024 },
  { year: -3.5 },
  { year: [1, 1e300] },
  { year: '2024' },
  { yea: 2024, flag: true },
  { year: Number.MIN_VALUE },
  {},
];

const FLAG = { key: 'flag', oneOf: [true] };
const FROM_ONE = { key: 'year', least: 1 };

const CASES: [PreFilter, string[]][] = [
  [{ key: 'year', least: 2024, most: 2024 }, ['0']],
  [{ key: 'year', most: 0 }, ['1']],
  [{ key: 'year', least: -0, most: 1 }, ['2', '5']],
  [{ key: 'year', least: 2000 }, ['0', '2']],
  [{ key: 'year', least: -4 }, ['0', '1', '2', '5']],
  [{ key: 'year', oneOf: [2024] }, ['0']],
  [{ key: 'year', oneOf: ['2024'] }, ['3']],
  [{ key: 'flag', oneOf: ['true', true] }, ['4']],
  [{ any: [FLAG, { key: 'year', most: 0 }] }, ['1', '4']],
  [{ all: [FROM_ONE, { key: 'year', oneOf: [1] }] }, ['2']],
];

describe.each(PRODUCTS)('$name', (product) => {
  it.each(CASES)('with %j finds %j', async (preFilter, expected) => {
    const store = openStore(product, {}, crypto.randomUUID());
    await store.ensure(8);
    await store.upsert(DOCUMENTS.map(toVectorPoint));
    const found = await store.query(toDirection('x'), 100, { preFilter });
    expect(found.map(({ documentId }) => documentId).sort()).toEqual(expected);
  });
});
