import { expect, test } from 'vitest';
import { escapeRegExp } from '#src/lib/text/escape-regexp.ts';

test.each(['', 'u'])('escapes every ASCII character with flags "%s"', (flags) => {
  const all = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
  expect(new RegExp(`^${escapeRegExp(all)}$`, flags).test(all)).toBe(true);
});
