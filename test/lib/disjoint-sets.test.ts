import { expect, it } from 'vitest';
import { DisjointSets } from '#src/lib/disjoint-sets.ts';

it('groups items that are joined directly or through others, in their order', () => {
  const sets = new DisjointSets(6);
  sets.join(4, 1);
  sets.join(5, 4);
  sets.join(3, 0);
  expect(sets.group(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual([['a', 'd'], ['b', 'e', 'f'], ['c']]);
});
