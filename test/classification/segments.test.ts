import { expect, it } from 'vitest';
import {
  buildSegments,
  isNumberedFirst,
  type PageEvidence,
  type SegmentOptions,
} from '#src/classification/splitting/segments.ts';

const INCLUDE: SegmentOptions = { uncategorized: 'include', minPages: 1 };

/** Evidence for the categories 0 and 1, and for none, by the letter of each page. `?` is a page without evidence. */
const LETTERS: Record<string, number[]> = {
  a: [0.9, 0.05, 0.05],
  b: [0.05, 0.9, 0.05],
  n: [0.05, 0.05, 0.9],
  // Slightly more probable to be b than a.
  d: [0.4, 0.5, 0.1],
  '?': [1 / 3, 1 / 3, 1 / 3],
};

const toEvidence = (letters: string): PageEvidence[] =>
  [...letters.toLowerCase()].map((letter, at) => ({
    page: at + 1,
    probabilities: LETTERS[letter]!,
    // A capital letter begins a document.
    startsDocument: letters[at] !== letter,
  }));

const split = (letters: string, options: Partial<SegmentOptions> = {}) =>
  buildSegments(toEvidence(letters), { ...INCLUDE, ...options }).map(
    ({ category, pages }) => `${category ?? 'none'}: ${pages.join()}`,
  );

it('keeps doubtful pages and pages without evidence in the segment around them', () => {
  expect(split('aadaab?b')).toEqual(['0: 1,2,3,4,5', '1: 6,7,8']);
  expect(split('?ab')).toEqual(['0: 1,2', '1: 3']);
});

it('separates neighbouring documents of one category where a document begins', () => {
  expect(split('AaAa')).toEqual(['0: 1,2', '0: 3,4']);
  expect(split('aaDd')).toEqual(['0: 1,2', '1: 3,4']);
});

it('includes, omits or forbids pages that fit no category', () => {
  expect(split('aannbb')).toEqual(['0: 1,2', 'none: 3,4', '1: 5,6']);
  expect(split('aannbb', { uncategorized: 'omit' })).toEqual(['0: 1,2', '1: 5,6']);
  const forbidden = split('aannbb', { uncategorized: 'forbid' });
  expect(forbidden.join(' ')).not.toContain('none');
  expect(forbidden.flatMap((each) => each.slice(3).split(',')).map(Number)).toEqual([1, 2, 3, 4, 5, 6]);
});

it('joins segments with too few pages with a neighbour', () => {
  expect(split('aaabaaa')).toEqual(['0: 1,2,3', '1: 4', '0: 5,6,7']);
  expect(split('aaabnnn', { minPages: 2 })).toEqual(['0: 1,2,3,4', 'none: 5,6,7']);
  expect(split('abbb', { minPages: 2 })).toEqual(['1: 1,2,3,4']);
  expect(split('a', { minPages: 5 })).toEqual(['0: 1']);
  expect(split('', { minPages: 5 })).toEqual([]);
});

it('reports the mean probability of a segment’s category', () => {
  const [first] = buildSegments(toEvidence('ad'), INCLUDE);
  expect(first).toMatchObject({ category: 0, confidence: 0.65 });
});

it('recognises the numbered first page of a document', () => {
  const page = (text: string) => ({ text, blocks: [] });
  expect(isNumberedFirst(page('Acme Ltd\nPage 1 of 3\nInvoice'))).toBe(true);
  expect(isNumberedFirst(page('Rechnung\nSeite 1 von 2'))).toBe(true);
  expect(isNumberedFirst(page('Report\n1/12'))).toBe(true);
  expect(isNumberedFirst(page('Acme Ltd\nPage 2 of 3'))).toBe(false);
  expect(isNumberedFirst(page('a\nb\nc\nPage 1 of 3\nd\ne\nf'))).toBe(false);
  expect(isNumberedFirst({ text: '', blocks: [{ type: 'footer', text: '1 of 2', markdown: '' }] })).toBe(
    true,
  );
});
