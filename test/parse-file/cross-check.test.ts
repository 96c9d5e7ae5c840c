import { expect, it } from 'vitest';
import { measureAgreement } from '#src/parse-file/cross-check.ts';

it.each([
  ['the same words', 'Berth 4 is free', 'berth 4 is free.', 1],
  ['no word in common', 'Berth 4', 'quay five', 0],
  ['half of the words', 'berth four', 'berth five', 0.5],
  ['a word that one has more often', 'berth', 'berth berth berth', 0.5],
  ['nothing on either', '', ' ', 1],
  ['nothing on one', 'berth', '', 0],
  ['letters of another width', 'Ｂｅｒｔｈ', 'berth', 1],
])('agreement of texts with %s', (_, one, other, share) => {
  expect(measureAgreement(one, other)).toBe(share);
  expect(measureAgreement(other, one)).toBe(share);
});
