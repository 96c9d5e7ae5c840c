import { beforeAll, expect, it } from 'vitest';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { isFilterable, toSqlCondition } from '#src/sinks/pgvector/pre-filter-sql.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { ask, component, open } from './pgvector.ts';

// The first connection starts the database, which takes time.
beforeAll(() => ask('select 1'), 120_000);

const table = component();

// The database replaces characters that it cannot represent, so a few documents that do not match are found.
preFilterSuite({
  name: 'pgvector',
  open: (indexId) => open(table, { indexId }),
  leastExcluded: 0.95,
});

it.each([
  ['a\0b', false],
  ['\ud800', false],
  ['a\ufffd', false],
  [`'; drop table x; --`, true],
])('key %j can be filtered: %s', (name, expected) => {
  expect(isFilterable(name)).toBe(expected);
});

it.each<[PreFilter, string]>([
  [{ all: [] }, 'true'],
  [{ any: [] }, 'false'],
  [{ key: 'a' }, 'true'],
])('pre-filter %j without conditions becomes %s', (preFilter, expected) => {
  expect(toSqlCondition(preFilter, String)).toBe(expected);
});
