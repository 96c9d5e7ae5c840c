import { describe, expect, it } from 'vitest';
import type { Metadata } from '#src/ports/index-types.ts';
import { encodeMetadata } from '#src/sinks/qdrant/filter.ts';

describe('encodeMetadata', () => {
  it.each<[string, Metadata, string[]]>([
    ['nothing', { a: null, b: [] }, []],
    ['scalars', { a: 'x', b: 5, c: 5.5, d: true }, ['["a","x"]', '["b",5]', '["c",5.5]', '["d","true"]']],
    ['a list', { a: ['x', 'y', 'x'] }, ['["a","x"]', '["a","y"]']],
    ['what is never mixed', { a: ['5', 'b'], 'a","b': '5' }, ['["a","5"]', '["a","b"]', '["a\\",\\"b","5"]']],
    ['what is no text', { a: '\ud800' }, ['["a","\\ud800"]']],
  ])('%s', (_, metadata, words) => {
    expect(encodeMetadata(metadata)).toEqual(words);
  });

  it('truncates long values to well-formed text', () => {
    const [word] = encodeMetadata({ a: '\u{1f600}'.repeat(1_000) });
    expect(word!.length).toBe(200);
    expect(word!.isWellFormed()).toBe(true);
  });
});
