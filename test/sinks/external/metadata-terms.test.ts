import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '#src/ports/index-types.ts';
import { compareCodePoints } from '#src/search/text-order.ts';
import { encodeRange, toMetadataTerms } from '#src/sinks/external/metadata-terms.ts';

const encodeNumber = (key: string, value: number) =>
  toMetadataTerms({ [key]: value } as Metadata).metadata_numbers[0]!;

describe('toMetadataTerms', () => {
  it.each<[string, Metadata, string[], number]>([
    ['nothing', { a: null, b: [] }, [], 0],
    ['scalars', { a: 'x', b: 5, c: true }, ['["a","x"]', '["b",5]', '["c","true"]'], 1],
    ['a list', { a: ['x', 5, 'x'] }, ['["a","x"]', '["a",5]'], 1],
    ['what is never mixed', { a: '5', 'a","b': 5 }, ['["a","5"]', '["a\\",\\"b",5]'], 1],
  ])('%s', (_, metadata, values, numbers) => {
    const terms = toMetadataTerms(metadata);
    expect(terms.metadata_values).toEqual(values);
    expect(terms.metadata_numbers).toHaveLength(numbers);
  });

  it('truncates long keys and values to well-formed text', () => {
    const long = '\u{1f600}'.repeat(30_000);
    const { metadata_values, metadata_numbers } = toMetadataTerms({ a: long, [long]: 5 });
    for (const term of [...metadata_values, ...metadata_numbers]) {
      expect(term.length).toBeLessThan(250);
      expect(term.isWellFormed()).toBe(true);
    }
  });
});

describe('terms of numbers', () => {
  it('sort like the numbers', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (one, other) => {
        const [first, second] = [encodeNumber('a', one), encodeNumber('a', other)];
        expect(first < second).toBe(one < other);
        expect(first === second).toBe(one === other);
      }),
    );
  });

  it('of another key are outside every range', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (key, other, value) => {
          fc.pre(key !== other);
          const { gte, lte } = encodeRange(key, {});
          const term = encodeNumber(other, value);
          const isInside = compareCodePoints(term, gte) >= 0 && compareCodePoints(term, lte) <= 0;
          expect(isInside).toBe(false);
        },
      ),
    );
  });
});
