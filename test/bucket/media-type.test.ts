import { expect, it } from 'vitest';
import { mediaType } from '#src/bucket/media-type.ts';

it.each([
  'text/plain',
  'text/plain; charset=utf-8',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'multipart/mixed; boundary="a b:c"; x=y',
  'text/plain;',
])('takes %s', (text) => {
  expect(mediaType(text)).toBe(text);
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
])('takes %j for nothing', (text) => {
  expect(mediaType(text)).toBeUndefined();
});

it('keeps what is 255 characters long', () => {
  const longest = `text/${'a'.repeat(250)}`;
  expect(mediaType(longest)).toBe(longest);
});
