import { describe, expect, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { openDocument } from '#src/formats/registry.ts';
import { computeFormulas } from '#src/formats/shared/formulas/compute.ts';
import type { Scalar } from '#src/formats/shared/formulas/values.ts';
import type { FormulaWorkbook } from '#src/formats/shared/formulas/workbook.ts';
import { MAX_WORK, WorkBudget } from '#src/formats/shared/work-budget.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { nestedZips, overlappingMembers, zipMembers } from '#test/support/hostile-documents/archives.ts';
import { hostileContainers } from '#test/support/hostile-documents/containers.ts';
import { bytesOfText, type HostileDocument } from '#test/support/hostile-documents/document.ts';
import { hostileImages } from '#test/support/hostile-documents/images.ts';
import { hostileSpreadsheets } from '#test/support/hostile-documents/spreadsheets.ts';

const open = (bytes: Uint8Array, name: string, budget?: WorkBudget) =>
  openDocument({ bytes, name, plan: resolveParsePlan({}) }, budget);

/** Derives the spent part of a budget from the steps left for formulas. */
const countSpent = (budget: WorkBudget, whole = MAX_WORK) =>
  whole - budget.countAffordable('formulaStep') * 0.25;

async function countWork(bytes: Uint8Array, name: string): Promise<number> {
  const budget = new WorkBudget();
  (await open(bytes, name, budget)).close();
  return countSpent(budget);
}

const named = (list: readonly HostileDocument[], part: string): HostileDocument =>
  list.find(({ name }) => name.includes(part))!;

const refused = (bytes: Uint8Array, name: string) =>
  open(bytes, name).then(
    () => 'opened',
    (error: ParseError) => error.reason,
  );

describe('WorkBudget', () => {
  it('rejects work beyond the budget and still accepts smaller work', () => {
    const budget = new WorkBudget(100_000);
    expect(() => budget.spend('inflatedByte', 1e9)).toThrow(ParseError);
    budget.spend('block', 10);
    expect(countSpent(budget, 100_000)).toBeCloseTo(200);
  });
});

describe('file and its nested files', () => {
  const words = bytesOfText('some words and more words\n\n'.repeat(200));

  it('share one budget', async () => {
    const one = await countWork(zipMembers([['a.txt', words]]), 'a.zip');
    const nested = zipMembers([
      [
        'b.zip',
        zipMembers([
          ['a.txt', words],
          ['b.txt', words],
        ]),
      ],
      ['c.txt', words],
    ]);
    expect(await countWork(nested, 'a.zip')).toBeGreaterThan(2.5 * one);
  });

  it('list members beyond the budget as failed and read the others', async () => {
    const bytes = zipMembers([
      ['small.txt', words],
      ['large.txt', bytesOfText('x '.repeat(2_000_000))],
      ['last.txt', words],
    ]);
    const document = await open(bytes, 'a.zip', new WorkBudget(120_000));
    expect(document.metadata.failedMembers).toEqual([
      { name: 'large.txt', reason: expect.stringContaining('takes too much work') },
    ]);
    const pages = await Promise.all([0, 1, 2].map((index) => document.readPage(index)));
    expect(pages.map(({ member, error }) => [member?.path, error !== undefined])).toEqual([
      ['small.txt', false],
      ['last.txt', false],
      ['large.txt', true],
    ]);
  });

  it('can be read again at no cost', async () => {
    const members = Array.from({ length: 40 }, (_, at): [string, Uint8Array] => [`${at}.txt`, words]);
    const budget = new WorkBudget();
    const document = await open(zipMembers(members), 'a.zip', budget);
    const spent = countSpent(budget);
    for (let index = 0; index < document.pageCount; index++) await document.readPage(index);
    expect(countSpent(budget)).toBe(spent);
  });
});

describe('archives that unpack to far more than their size', () => {
  it.each([
    ['members that overlap', () => overlappingMembers(1_000, 100_000)],
    ['zips of members that overlap', () => nestedZips(3, 10)],
  ])('are rejected with %s', async (_, bytes) => {
    expect(await refused(bytes(), 'a.zip')).toBe('FILE_IS_BROKEN');
  });
});

describe('documents that repeat their parts', () => {
  it('write a note once that is referenced repeatedly', async () => {
    const { bytes, file } = named(hostileContainers, 'references to one footnote');
    const [page] = await Promise.all([(await open(bytes(), file)).readPage(0)]);
    expect(page!.markdown.match(/^\[\^\d+\]: /gm)).toHaveLength(1);
  });

  it('are rejected if cells share one long text', async () => {
    const { bytes, file } = named(hostileSpreadsheets, 'share a text of 32,000');
    expect(await refused(bytes(), file)).toBe('DOCUMENT_TOO_LARGE');
  });
});

/** Returns the steps of one formula beside a cell that contains `text`. */
async function countSteps(formula: string, text: string): Promise<number> {
  const budget = new WorkBudget();
  const rows = new Map<number, Scalar[]>([[0, [text]]]);
  const sheets = [{ name: 'S', rows, formulas: [{ row: 1, column: 0, formula }] }];
  const workbook: FormulaWorkbook = { sheets, names: [], dialect: 'ooxml', date1904: false };
  await computeFormulas(workbook, () => true, budget);
  return countSpent(budget) / 0.25;
}

describe('formulas', () => {
  it.each([
    ['texts of cells', () => 'LEN(A1)'],
    ['texts that they make', (size: number) => `LEN(REPT("a",${size}))`],
    ['comparisons with wildcards', () => 'COUNTIF(A1,"*ab*")'],
    ['searches with wildcards', () => 'SEARCH("a?b",A1)'],
  ])('count the characters of %s as steps', async (_, formula) => {
    const [few, many] = [100, 20_000];
    const steps = (size: number) => countSteps(formula(size), 'a'.repeat(size));
    expect(await steps(many)).toBeGreaterThan(20 * (await steps(few)));
  });

  it('keep their stored results once the file budget is spent', async () => {
    const rows = new Map<number, Scalar[]>([[0, ['x'.repeat(20_000)]]]);
    const sheets = [{ name: 'S', rows, formulas: [{ row: 1, column: 0, formula: 'LEN(A1)' }] }];
    const workbook: FormulaWorkbook = { sheets, names: [], dialect: 'ooxml', date1904: false };
    const [results] = await computeFormulas(workbook, () => true, new WorkBudget(100));
    expect(results!.notComputed).toEqual([
      { row: 1, column: 0, reason: expect.stringContaining('take too much work') },
    ]);
  });
});

describe('TIFF files', () => {
  it.each([
    ['100,000 directories', 'TOO_MANY_PAGES'],
    ['1,900 pages', 'DOCUMENT_TOO_LARGE'],
    ['2,000 directories of 190,000 values', 'DOCUMENT_TOO_LARGE'],
  ])('with %s are rejected when opened', async (name, reason) => {
    const { bytes, file } = named(hostileImages, name);
    expect(await refused(bytes(), file)).toBe(reason);
  });
});
