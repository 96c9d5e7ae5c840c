import { describe, expect, it } from 'vitest';
import { splitJoinedColumns } from '#ocr/reading/columns.ts';
import { isUnreadable, removeNoise } from '#ocr/reading/filter.ts';
import { measureConfidence, mergeReadings } from '#ocr/reading/merge.ts';
import { measureCoverage, measureGain, measureWordShare } from '#ocr/reading/quality.ts';
import { line, toLines, word } from './words.ts';

describe('mergeReadings', () => {
  it('keeps the more confident words of each place', () => {
    const base = [[[word('T0tal', 0, 0, 0.4), word('9.50', 100, 0, 0.95)]]];
    const other = [[[word('Total', 2, 1, 0.9), word('8.50', 101, 1, 0.5)]]];
    expect(toLines(mergeReadings(base, other))).toEqual(['Total 9.50']);
  });

  it('replaces two halves of a word by the whole word', () => {
    const base = [[[word('Har', 0, 0, 0.5), word('bour', 40, 0, 0.5)]]];
    const other = [[[{ ...word('Harbour', 0, 0), w: 80 }]]];
    expect(toLines(mergeReadings(base, other))).toEqual(['Harbour']);
  });

  it('adds words that only the other reading has, if they are confident', () => {
    const base = [[line('One', 0, 0), line('Three', 0, 60)]];
    const other = [[[word('more', 80, 1)], line('Two', 0, 30), line('xqz', 0, 90, 0.4)]];
    const merged = toLines(mergeReadings(base, other));
    expect(merged).toContain('One more');
    expect(merged).toContain('Two');
    expect(merged.join()).not.toContain('xqz');
  });

  it('keeps words if the other reading lacks letters or is hardly more confident', () => {
    const base = [[[word('Harbour', 0, 0, 0.6)]]];
    expect(toLines(mergeReadings(base, [[[word('H', 0, 0, 0.9)]]]))).toEqual(['Harbour']);
    expect(toLines(mergeReadings(base, [[[word('Harbowr', 0, 0, 0.62)]]]))).toEqual(['Harbour']);
  });

  it('adds no single letters', () => {
    const merged = mergeReadings([[line('One', 0, 0)]], [[[word('x', 0, 60, 0.95)]]]);
    expect(toLines(merged)).toEqual(['One']);
  });

  it('adds lines between the paragraphs above and below them', () => {
    const base = [[line('One', 0, 0)], [line('Three', 0, 60)]];
    expect(toLines(mergeReadings(base, [[line('Two', 0, 30)]]))).toEqual(['One', 'Two', 'Three']);
  });
});

describe('measureConfidence', () => {
  it('weighs words by their length', () => {
    expect(measureConfidence([word('a', 0, 0, 0.1), word('lighthouse', 0, 0, 0.9)])).toBeGreaterThan(0.8);
    expect(measureConfidence([])).toBe(0);
  });
});

describe('quality of a reading', () => {
  const reading = [[line('The keeper qxvz 1,250', 0, 0)]];

  it('is the share of letter shapes in words', () => {
    const inside = { x0: 2, y0: 2, x1: 8, y1: 8 };
    expect(measureCoverage(reading, [inside, { x0: 2, y0: 200, x1: 8, y1: 208 }])).toBe(0.5);
    expect(measureCoverage([], [])).toBe(1);
  });

  it('is the amount of confident text', () => {
    expect(measureGain([[line('abcd', 0, 0, 0.8)]])).toBeCloseTo(2);
    expect(measureGain([[line('abcd', 0, 0, 0.2)]])).toBe(0);
  });

  it('is the share of words in the dictionary and of numbers', () => {
    const knows = (each: string) => ['the', 'keeper'].includes(each);
    expect(measureWordShare(reading, knows)).toBeCloseTo(14 / 18);
  });
});

describe('isUnreadable', () => {
  it('refuses text with low confidence, and doubtful text without known words', () => {
    const read = (confidence: number) => [[line('several letters', 0, 0, confidence)]];
    expect(isUnreadable(read(0.35), () => true)).toBe(true);
    expect(isUnreadable(read(0.5), () => false)).toBe(true);
    expect(isUnreadable(read(0.5), () => true)).toBe(false);
    expect(isUnreadable(read(0.5), undefined)).toBe(false);
    expect(isUnreadable(read(0.8), () => false)).toBe(false);
    expect(isUnreadable([], () => false)).toBe(false);
  });
});

describe('removeNoise', () => {
  it('leaves out doubtful words and lines', () => {
    const paragraphs = [
      [line('A clear line', 0, 0), [...line('Good', 0, 20), word('~~', 80, 20, 0.1)]],
      [line('qx vz', 0, 40, 0.3), line('|', 0, 60, 0.4)],
    ];
    expect(toLines(removeNoise(paragraphs))).toEqual(['A clear line', 'Good']);
  });
});

describe('splitJoinedColumns', () => {
  const left = (at: number) => `left ${at} of the first column with words`;
  const right = (at: number) => `right ${at} of the other column with words`;
  const rows = Array.from({ length: 10 }, (_, at) => at);

  it('separates columns that were read as one, below a heading across both', () => {
    const joined = rows.map((at) => [
      ...line(left(at), 0, 40 + at * 20),
      ...line(right(at), 450, 40 + at * 20),
    ]);
    const heading = line('A heading that runs across both columns of this page and is quite long', 0, 0);
    const lines = toLines(splitJoinedColumns([[heading, ...joined]]));
    expect(lines).toEqual([toLines([[heading]])[0], ...rows.map(left), ...rows.map(right)]);
  });

  it('puts the left column first if the engine has mixed separate lines', () => {
    const mixed = rows.map((at) => [line(right(at), 450, at * 20), line(left(at), 0, at * 20)]);
    expect(toLines(splitJoinedColumns(mixed))).toEqual([...rows.map(left), ...rows.map(right)]);
  });

  it('keeps the rows of a list with amounts', () => {
    const list = [rows.map((at) => [...line(left(at), 0, at * 20), word(`${at}.50`, 600, at * 20)])];
    expect(splitJoinedColumns(list)).toBe(list);
  });
});
