import { describe, expect, it } from 'vitest';
import { type PageTruth, verifyPage } from '#src/reading/verify/index.ts';

const findDoubts = (markdown: string, truth: string | PageTruth) => {
  const page = typeof truth === 'string' ? ({ text: truth, source: 'text layer' } as const) : truth;
  const { unsupported, misplaced, confidence } = verifyPage(markdown, page);
  return { told: [...unsupported, ...misplaced].map(({ text }) => text), isBelieved: confidence >= 0.5 };
};
const BELIEVED = { told: [], isBelieved: true };

const CLAUSE = 'the Seller shall deliver the goods to the northern quay';
/** The page contains the clause three times. One test splits a word differently in one of them. */
const CLAUSES = `First, ${CLAUSE} in May. Then ${CLAUSE} in June. Last, ${CLAUSE} in July.`;

describe('text that the page prints in another form', () => {
  it.each<[string, string, string]>([
    ['a stretch that it says as often', CLAUSES, CLAUSES.replace('northern quay', 'nor thernquay')],
    [
      'an identifier that it splits',
      'Dose of HMGB1a, then HMGB1a again, then HMGB1a.',
      'Dose of HMGB1a, then HM GB1a again, then HMGB1a.',
    ],
    [
      'short words of a heading set with blanks',
      '# The Next Term\n\nThe ferry sails on Monday.',
      'T h e N e x t T e r m\nThe ferry sails on Monday.',
    ],
    [
      'a date over a line’s end',
      'Books were closed on 2021-09-30 by the board.',
      'Books were closed on September 30,\n2021 by the board.',
    ],
    ['ligatures', 'The first office of the fleet is difficult.', 'The ﬁrst oﬃce of the ﬂeet is diﬃcult.'],
    ['hyphens', 'The lighthouse keeper resigned.', 'The light-\nhouse keeper re\u00ad\nsigned.'],
  ])('is accepted: %s', (_, markdown, text) => {
    expect(findDoubts(markdown, text)).toEqual(BELIEVED);
  });

  it('is accepted without the running heads of the page', () => {
    const body = 'The ferry carried tin and copper to the northern quay, and came back with barley.';
    const foot = 'Source: Harbour Works Holding, form 10-K of the northern district, 2 December 2016';
    const text = `${body}\n${foot}`;
    const source = 'text layer' as const;
    expect(findDoubts(body, { text, source, runningHeads: [foot] })).toEqual(BELIEVED);
    expect(findDoubts(body, { text, source }).isBelieved).toBe(false);
  });

  it('is accepted if OCR misread the month of a date', () => {
    const truth: PageTruth = { text: 'Signed on Fcbruary 20, 2012 by the keeper.', source: 'ocr' };
    expect(findDoubts('Signed on February 20, 2012 by the keeper.', truth)).toEqual(BELIEVED);
  });
});

describe('text that the page does not support', () => {
  it('is rejected if it repeats a clause more often than the page', () => {
    expect(findDoubts(`${CLAUSES} Again, ${CLAUSE} in May.`, CLAUSES).isBelieved).toBe(false);
  });

  it('is rejected if it repeats an identifier more often than the page, whole or split', () => {
    const text = 'Dose of HMGB1a, then HM GB1a, at noon.';
    expect(findDoubts('Dose of HMGB1a, then HMGB1a, at HMGB1a.', text).told).toContain('HMGB1a');
  });

  it('is rejected if it swaps the numbers of two rows', () => {
    const rows = (first: string, second: string) =>
      `Item: Milestone ${first}: Proof of concept TBD\nItem: Milestone ${second}: Strain development TBD\n` +
      'See Milestone 1, and see Milestone 2.';
    expect(findDoubts(rows('1', '2'), rows('2', '1')).told).toEqual(expect.arrayContaining(['1', '2']));
  });

  const ROWS = Array.from({ length: 6 }, (_, n) => [`Cargo${n}`, `${1204 + 37 * n}`, `${86 + 5 * n}.5`]);
  const table = (rows: string[][]) =>
    ['| Cargo | Tons | Price |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
  const PAGE = `Cargo Tons Price\n${ROWS.map((row) => row.join(' ')).join('\n')}`;

  it.each<[string, string]>([
    ['two rows', table(ROWS.toSpliced(2, 2))],
    ['a column', table(ROWS.map(([name, tons]) => [name!, tons!]))],
  ])('is rejected if a table lacks %s of six', (_, markdown) => {
    expect(findDoubts(table(ROWS), PAGE)).toEqual(BELIEVED);
    expect(findDoubts(markdown, PAGE).isBelieved).toBe(false);
  });
});
