import { describe, expect, it } from 'vitest';
import { modelsFor } from '#ocr/languages.ts';
import { readTable } from '#ocr/table.ts';

const row = (place: string, confidence: number, text: string) =>
  [5, 1, ...place.split('.'), 1, 10, 20, 30, 8, confidence, text].join('\t');

describe('readTable', () => {
  it('groups words into lines and paragraphs', () => {
    const table = [
      '1\t1\t0\t0\t0\t0\t0\t0\t100\t100\t-1\t',
      '4\t1\t1\t1\t1\t0\t10\t20\t90\t8\t-1\t',
      row('1.1.1', 90, 'One'),
      row('1.1.1', 80, 'line'),
      row('1.1.2', 70, 'next'),
      row('1.2.1', 60, 'apart'),
    ].join('\n');
    const paragraphs = readTable(table);
    expect(paragraphs.map((lines) => lines.map((line) => line.map(({ text }) => text)))).toEqual([
      [['One', 'line'], ['next']],
      [['apart']],
    ]);
    expect(paragraphs[0]![0]![0]).toEqual({ text: 'One', x: 10, y: 20, w: 30, h: 8, confidence: 0.9 });
  });

  it('leaves out blanks and rows without confidence', () => {
    expect(readTable([row('1.1.1', -1, '|'), row('1.1.2', 95, ' ')].join('\n'))).toEqual([]);
  });
});

describe('modelsFor', () => {
  it('returns the installed models for the requested languages', () => {
    expect(modelsFor([], ['eng', 'deu'])).toEqual(['eng']);
    expect(modelsFor(['de', 'en', 'en'], ['eng', 'deu'])).toEqual(['deu', 'eng']);
    expect(modelsFor(['ja', 'tab'], ['eng'])).toEqual([]);
    expect(modelsFor(['ch_sim'], ['eng', 'chi_sim'])).toEqual(['chi_sim']);
  });
});
