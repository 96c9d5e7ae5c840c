import { expect, it } from 'vitest';
import { findDanger } from '#scripts/patterns/backtracking.ts';

// Runs in Node, because the check is a Node script.

it.each([
  ['(a+)+b', ''],
  ['^(a|a)*$', ''],
  ['^(\\w+\\s?)*$', ''],
  ['(x+x+)+y', ''],
  ['^(.*,){12}P', ''],
  ['^(a{1,100}){1,100}$', ''],
])('/%s/%s takes exponential time', (source, flags) => {
  expect(findDanger(source, flags)).toBe('exponential');
});

it.each([
  ['^a*a*$', ''],
  ['^\\s*(?:is)?\\s*"', ''],
  ['^[^\\p{L}]*\\d[^\\p{L}]*$', 'u'],
])('/%s/%s takes polynomial time', (source, flags) => {
  expect(findDanger(source, flags)).toBe('polynomial');
});

it.each([
  ['a+b', ''],
  ['\\s+$', ''],
  ['^\\s+x', 'm'],
  ['<[^>]+>', 'g'],
  ['(?=.*b)a', ''],
  ['[\\p{L}\\d]+@', 'u'],
])('/%s/%s takes quadratic time in an unanchored search', (source, flags) => {
  expect(findDanger(source, flags)).toBe('quadratic search');
});

it.each([
  ['^a+b', ''],
  ['a+b', 'y'],
  ['\\s+', 'g'],
  ['^\\s+', ''],
  ['^[ \\t]+x', 'm'],
  ['\\b\\w+x', ''],
  ['(?<!\\s)\\s+$', ''],
  ['<[^<>]+>', 'g'],
  ['^(?:[^"\\\\]|\\\\.)*"', ''],
  ['^\\d+(?:\\.\\d+)*$', ''],
  ['^a{0,2}(?:b a{0,2})*$', ''],
  ['[[a-z]--[b]]+', 'v'],
])('/%s/%s takes linear time', (source, flags) => {
  expect(findDanger(source, flags)).toBeUndefined();
});
