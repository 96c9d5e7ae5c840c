import { expect, it } from 'vitest';
import { withStableOrder } from '#src/sources/jira/jql.ts';

it.each([
  ['project = A', 'project = A'],
  ['project = A ORDER BY updated DESC, key', 'project = A'],
  ['project = A order\n by rank', 'project = A'],
  ['text ~ "order by" ORDER BY x', 'text ~ "order by"'],
  [`text ~ 'it\\'s order by' and a = 1`, `text ~ 'it\\'s order by' and a = 1`],
  ['reorder by', 'reorder by'],
  ['a = "never closed order by b', 'a = "never closed order by b'],
])('%j gets a stable order', (query, conditions) => {
  expect(withStableOrder(query)).toBe(`${conditions} ORDER BY created ASC, key ASC`);
});
