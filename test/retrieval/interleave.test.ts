import { expect, test } from 'vitest';
import { interleave } from '#src/retrieval/interleave.ts';

test('interleave takes one element from each list in turn', () => {
  expect(interleave([['a', 'b', 'c'], [], ['d'], ['e', 'f']])).toEqual(['a', 'd', 'e', 'b', 'f', 'c']);
  expect(interleave([])).toEqual([]);
});
