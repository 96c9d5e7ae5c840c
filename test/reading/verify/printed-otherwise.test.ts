import { describe, expect, it } from 'vitest';
import { type PageTruth, verifyPage } from '#src/reading/verify/index.ts';

const doubtsOf = (markdown: string, truth: string | PageTruth) => {
  const page = typeof truth === 'string' ? ({ text: truth, source: 'text layer' } as const) : truth;
  const { unsupported, misplaced, confidence } = verifyPage(markdown, page);
  return { told: [...unsupported, ...misplaced].map(({ text }) => text), isBelieved: confidence >= 0.5 };
};
const BELIEVED = { told: [], isBelieved: true };

const CLAUSE = 'the Seller shall deliver the goods to the northern quay';
/** The page says the clause three times, and parts a word of it otherwise once. */
const CLAUSES = `First, ${CLAUSE} in May. Then ${CLAUSE} in June. Last, ${CLAUSE} in July.`;

describe('a page that prints its words otherwise bears out', () => {
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
  ])('%s', (_, markdown, text) => {
    expect(doubtsOf(markdown, text)).toEqual(BELIEVED);
  });

  it('a page without what its layout takes for running heads', () => {
    const body = 'The ferry carried tin and copper to the northern quay, and came back with barley.';
    const foot = 'Source: Harbour Works Holding, form 10-K of the northern district, 2 December 2016';
    const text = `${body}\n${foot}`;
    const source = 'text layer' as const;
    expect(doubtsOf(body, { text, source, runningHeads: [foot] })).toEqual(BELIEVED);
    expect(doubtsOf(body, { text, source }).isBelieved).toBe(false);
  });

  it('a date whose month an OCR engine misread', () => {
    const truth: PageTruth = { text: 'Signed on Fcbruary 20, 2012 by the keeper.', source: 'ocr' };
    expect(doubtsOf('Signed on February 20, 2012 by the keeper.', truth)).toEqual(BELIEVED);
  });
});

describe('a page does not bear out', () => {
  it('a clause that is written once more than it is printed', () => {
    expect(doubtsOf(`${CLAUSES} Again, ${CLAUSE} in May.`, CLAUSES).isBelieved).toBe(false);
  });

  it('an identifier that is written more often than it is printed, in one piece or several', () => {
    const text = 'Dose of HMGB1a, then HM GB1a, at noon.';
    expect(doubtsOf('Dose of HMGB1a, then HMGB1a, at HMGB1a.', text).told).toContain('HMGB1a');
  });

  it('numbers of two rows in each other’s place, though each word has had both beside it', () => {
    const rows = (first: string, second: string) =>
      `Item: Milestone ${first}: Proof of concept TBD\nItem: Milestone ${second}: Strain development TBD\n` +
      'See Milestone 1, and see Milestone 2.';
    expect(doubtsOf(rows('1', '2'), rows('2', '1')).told).toEqual(expect.arrayContaining(['1', '2']));
  });

  const ROWS = Array.from({ length: 6 }, (_, n) => [`Cargo${n}`, `${1204 + 37 * n}`, `${86 + 5 * n}.5`]);
  const table = (rows: string[][]) =>
    ['| Cargo | Tons | Price |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
  const PAGE = `Cargo Tons Price\n${ROWS.map((row) => row.join(' ')).join('\n')}`;

  it.each<[string, string]>([
    ['two rows', table(ROWS.toSpliced(2, 2))],
    ['a column', table(ROWS.map(([name, tons]) => [name!, tons!]))],
  ])('a table that lacks %s of its six', (_, markdown) => {
    expect(doubtsOf(table(ROWS), PAGE)).toEqual(BELIEVED);
    expect(doubtsOf(markdown, PAGE).isBelieved).toBe(false);
  });
});
