import { expect, it } from 'vitest';
import { countCharacters } from '#src/lib/text/count-characters.ts';

it('counts two surrogates as one character', () => {
  expect(countCharacters('')).toBe(0);
  expect(countCharacters('café')).toBe(4);
  expect(countCharacters('a𝛼𠮷b')).toBe(4);
});
