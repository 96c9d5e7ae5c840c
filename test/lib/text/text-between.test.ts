import { expect, it } from 'vitest';
import { pickTextBetween } from '#src/lib/text/text-between.ts';

it.each([
  ['01a22916-0000', '01a22918-ffff'],
  ['a', 'z'],
  ['', 'zebra'],
  ['file', 'file-of-many'],
])('returns texts between %o and %o, in the order of the shares', (low, high) => {
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const picked = shares.map((share) => pickTextBetween(low, high, share));
  expect(picked).toEqual(picked.toSorted());
  expect(new Set(picked.slice(1, -1)).size).toBe(4);
  for (const text of picked.slice(1, -1)) {
    expect(text > low).toBe(true);
    expect(text < high).toBe(true);
  }
});

it('returns a text near two that are equal', () => {
  expect(pickTextBetween('same', 'same').startsWith('same')).toBe(true);
});
