import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFirstIndex, type NormalizedText, WordEdgeIndex } from '#src/extraction/word-edge-index.ts';
import { runs } from '#test/support/seed.ts';

/** Normalizes a page by removing white space and recording the breaks. */
function spelled(page: string): NormalizedText {
  const text = page.replaceAll(' ', '');
  const breaks = new Uint8Array(text.length + 1);
  breaks[text.length] = 1;
  let at = 0;
  for (const character of page) {
    if (character === ' ') breaks[at] = 1;
    else at += 1;
  }
  return { text, breaks };
}

/** Returns whether a word or number ends or begins at a position. */
function parts({ text, breaks }: NormalizedText, at: number): boolean {
  const before = text.slice(0, at);
  const behind = text.slice(at);
  if (before === '' || behind === '' || breaks[at]) return true;
  if (/[a-z]$/.test(before) && /^[a-z]/.test(behind)) return false;
  if (/\d$/.test(before) && /^\d/.test(behind)) return false;
  if (/\d$/.test(before) && /^[.,]\d/.test(behind) && !breaks[at + 1]) return false;
  return !(/\d[.,]$/.test(before) && /^\d/.test(behind) && !breaks[at - 1]);
}

/** Reference implementation that tries every position. */
function expected(page: NormalizedText, wanted: string): number | undefined {
  const { text, breaks } = page;
  const found = Array.from({ length: text.length }, (_, at) => at).filter(
    (at) =>
      text.startsWith(wanted, at) && parts(page, at) && parts(page, at + wanted.length) && wanted !== '',
  );
  const whole = found.find((at) => (at === 0 || breaks[at]) && breaks[at + wanted.length]);
  return whole ?? found[0];
}

const texts = (units: string[], most: number) =>
  fc.array(fc.constantFrom(...units), { maxLength: most }).map((parts) => parts.join(''));
/** Generates pages from few characters, so that texts repeat, including runs longer than an index key. */
const pages = fc.oneof(
  texts(['a', 'b', '1', '.', ',', ' ', '(', '数'], 40),
  texts(['ab', 'ab ', '1 ', 'a'.repeat(30), '数'.repeat(40), '1 '.repeat(35)], 24),
);

describe('WordEdgeIndex', () => {
  it('returns the first match between white space, or else the first match at word boundaries', () => {
    fc.assert(
      fc.property(
        pages,
        fc.nat(),
        fc.nat(),
        fc.array(pages, { maxLength: 3 }),
        (page, from, length, others) => {
          const given = spelled(page);
          const { text } = given;
          const start = from % (text.length + 1);
          const own = text.slice(start, start + 1 + (length % (text.length + 1)));
          const places = new WordEdgeIndex(given);
          for (const wanted of [
            own,
            `${own}a`,
            own.slice(1),
            ...others.map((other) => spelled(other).text),
            own,
          ]) {
            expect(places.findFirst(wanted), `${wanted} in ${page}`).toBe(expected(given, wanted));
          }
        },
      ),
      { numRuns: runs(600) },
    );
  });

  it.each([
    ['12 harbour road', '12', 0],
    ['12.50 and 12', '12', 8],
    ['12. 50', '12', 0],
    ['1 ,800 or 800', '800', 7],
    ['1, 800', '800', 2],
    ['1 .5', '5', 2],
    ['(eur) eur', 'eur', 5],
    ['no.123', '123', 3],
    ['no.123', '23', undefined],
    ['v2.0', '2.0', 1],
    ['o’neil', 'neil', 2],
    ['1’000', '000', undefined],
    ["1'000", '1', undefined],
    ['合計金額', '計', 1],
    ['ไทยแลนด์', 'ย', 2],
    ['straße', 'stra', undefined],
    ['', 'a', undefined],
    ['a', '', undefined],
  ])('%s: %s', (page, wanted, at) => {
    expect(new WordEdgeIndex(spelled(page)).findFirst(wanted)).toBe(at);
  });

  it('finds a text among many long texts with the same beginning', () => {
    const heading = 'the same beginning of one hundred characters '.repeat(3);
    const page = Array.from({ length: 40 }, (_, at) => `${heading}${at};`).join(' ');
    const { text } = spelled(page);
    for (const at of [0, 3, 17, 39]) {
      const wanted = spelled(`${heading}${at};`).text;
      expect(new WordEdgeIndex(spelled(page)).findFirst(wanted)).toBe(text.indexOf(wanted));
    }
    expect(new WordEdgeIndex(spelled(page)).findFirst(spelled(`${heading}40;`).text)).toBeUndefined();
  });
});

it('findFirstIndex returns the first index for which a condition holds', () => {
  for (const length of [0, 1, 2, 7]) {
    for (let from = 0; from <= length; from += 1)
      expect(findFirstIndex(length, (at) => at >= from)).toBe(from);
  }
});
