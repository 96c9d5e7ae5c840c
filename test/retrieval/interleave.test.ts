import { expect, test } from 'vitest';
import { interleave } from '#src/retrieval/interleave.ts';

test('lists take turns until each has ended', () => {
  expect(interleave([['a', 'b', 'c'], [], ['d'], ['e', 'f']])).toEqual(['a', 'd', 'e', 'b', 'f', 'c']);
  expect(interleave([])).toEqual([]);
});
