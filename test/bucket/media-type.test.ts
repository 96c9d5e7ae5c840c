import { expect, it } from 'vitest';
import { parseMediaType } from '#src/bucket/media-type.ts';

it.each([
  'text/plain',
  'text/plain; charset=utf-8',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'multipart/mixed; boundary="a b:c"; x=y',
  'text/plain;',
])('accepts %s', (text) => {
  expect(parseMediaType(text)).toBe(text);
});

it.each([
  null,
  undefined,
  '',
  'text',
  '/plain',
  'text/',
  'text/plain, text/html',
  'text/plain; charset',
  'text/plain\r\nx: y',
  'text/plain; a="\u0000"',
  'text/plän',
  `text/${'a'.repeat(251)}`,
])('returns undefined for %j', (text) => {
  expect(parseMediaType(text)).toBeUndefined();
});

it('accepts a media type of 255 characters', () => {
  const longest = `text/${'a'.repeat(250)}`;
  expect(parseMediaType(longest)).toBe(longest);
});
