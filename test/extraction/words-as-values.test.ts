import { describe, expect, it } from 'vitest';
import { findDurations } from '#src/extraction/values/durations.ts';
import { findNumberWords } from '#src/extraction/values/number-words.ts';

describe('findDurations', () => {
  it.each([
    ['for a period of two (2) years', '2 years', 'two (2) years'],
    ['a twelve-month period', '12 months', 'twelve-month'],
    ['thirty business days', '30 days', 'thirty business days'],
    ['one year thereafter', '1 year', 'one year'],
    ['une durée de six mois', '6 mois', 'six mois'],
  ])('%s', (text, value, printed) => {
    expect(findDurations(text).map((found) => [found.value, found.text])).toEqual([[value, printed]]);
  });

  it('ignores numbers without a unit and amounts', () => {
    expect(findDurations('two houses and $30 days-of-year 2,000 years')).toEqual([]);
  });
});

it('findNumberWords parses numbers written as words', () => {
  const read = (text: string) => findNumberWords(text).map(({ value }) => value);
  expect(read('five hundred and six men')).toEqual([506]);
  expect(read('forty-two members')).toEqual([42]);
  expect(read('1.5 million books')).toContain(1_500_000);
  expect(read('a stone in a boot')).toEqual([]);
});
