import { expect, test } from 'vitest';
import { listCitedNumbers } from '#src/chat/citations.ts';

test.each([
  ['One [2]. Two [1][2].', [2, 1]],
  ['One [1, 3]; two [5–7] and [7-8, 2].', [1, 3, 5, 6, 7, 8, 2]],
  ['In [2019] a[x] was [^1] and [1', []],
])('finds the cited numbers in: %s', (text, numbers) => {
  expect(listCitedNumbers(text)).toEqual(numbers);
});
