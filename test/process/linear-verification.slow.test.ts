import { describe, expect, it } from 'vitest';
import { verifyPage } from '#src/reading/verify/index.ts';
import { expectLinear, HOSTILE_UNITS, repeated } from '#test/support/linear-time.ts';

// Here and not beside the other tests of verification: within a Worker no clock advances while it computes.

const LENGTH = 40_000;
const UNITS = {
  ...HOSTILE_UNITS,
  'open formulas': '\\(',
  'signs of formulas': '$^',
  'open tables': '<td>',
  'joined letters': 'a\u00ad',
  'numbers of items': '1. a\n',
  'parts of identifiers': 'a1-',
  'dates without a year': '1 May ',
  Thai: 'กำ',
  'letters with blanks': 'a b ',
  'months over lines': 'May\n1,\n',
  'stacked accents': `a${'\u0301'.repeat(99)}`,
  'turned directions': '\u202ea\u202c',
  'letters that fold to several': 'ﬃ㎯ ',
  'emoji of many parts': '👩‍👩‍👧‍👦',
};

describe.each(Object.entries(UNITS))('verification of %s takes linear time', (_, unit) => {
  it('in the output', () =>
    expectLinear(
      (length) => verifyPage(repeated(unit, length), { text: 'A page of 12 words.', source: 'ocr' }),
      LENGTH,
    ));

  it('on the page', () =>
    expectLinear(
      (length) => verifyPage('A page of 12 words.', { text: repeated(unit, length), source: 'ocr' }),
      LENGTH,
    ));

  it('in both', () =>
    expectLinear((length) => {
      const text = repeated(unit, length);
      verifyPage(text, { text: `12 ${text}`, source: 'ocr' });
    }, LENGTH));
});

it.each(Object.entries({ identifiers: 'a1b2 ', 'a sentence': 'The ferry paid 317 crowns in May. ' }))(
  'verification of a 10 MB output of %s terminates with low confidence',
  (_, unit) => {
    const verification = verifyPage(unit.repeat(10_000_000 / unit.length), {
      text: 'The ferry paid 317 crowns in May to the harbour office, and came back with tin and copper.',
      source: 'text layer',
      runningHeads: ['The ferry', unit],
    });
    expect(verification.confidence).toBeLessThan(0.5);
  },
);

it('verification of running heads with the same beginning takes linear time', () =>
  expectLinear((length) => {
    const heads = Array.from({ length: length / 20 }, (_, index) => `head of a page ${index}`);
    verifyPage('A page.', { text: heads.join('\n'), source: 'text layer', runningHeads: heads });
  }, LENGTH));

it('verification of 100,000 words in reverse order takes linear time', () =>
  expectLinear((length) => {
    const words = Array.from({ length }, (_, index) => `w${(index * 7919) % length} ${index % 97}`);
    verifyPage(words.join(' '), { text: words.toReversed().join('\n'), source: 'ocr', confidence: 0.3 });
  }, 50_000));
