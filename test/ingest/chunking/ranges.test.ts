import { expect, test } from 'vitest';
import { cutAfterText } from '#src/ingest/chunking/ranges.ts';

test.each(['\n---\n', '-', '[*]', '\\', '.', '/'])('splits after the separator %j', (separator) => {
  const text = `one${separator}two`;
  const cut = cutAfterText(separator)(text, { start: 0, end: text.length });
  expect(cut.map(({ start, end }) => text.slice(start, end))).toEqual([`one${separator}`, 'two']);
});
