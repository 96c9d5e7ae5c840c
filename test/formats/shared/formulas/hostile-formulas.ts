import { computeFormulas } from '#src/formats/shared/formulas/compute.ts';
import type { FormulaCell, SheetResults } from '#src/formats/shared/formulas/workbook.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';

interface HostileFormulas {
  name: string;
  /** Number of formulas for which a naive implementation takes minutes. */
  size: number;
  make: (count: number) => string[];
  fills?: FormulaCell['fills'];
}

/** Formulas that take very long unless the work of a workbook is limited. */
export const HOSTILE_FORMULAS: HostileFormulas[] = [
  {
    name: 'sums over everything',
    size: 3_000,
    make: (count) => Array(count).fill(`SUM($A$${count + 1}:$XFD$1048576,$A$1:$A$${count})`),
  },
  {
    name: 'running totals',
    size: 20_000,
    make: (count) => Array.from({ length: count }, (_, row) => `SUM($B$1:B${row + 1})+SUM(A$1:A${row})`),
  },
  {
    name: 'products of columns',
    size: 400,
    make: (count) => Array(count).fill('SUMPRODUCT(($A:$A<>0)*(ROW($A:$A)>0))'),
  },
  {
    name: 'array formulas over all cells',
    size: 200,
    make: (count) => Array(count).fill('A1:XFD1048576*2'),
    fills: { bottom: 1_048_575, right: 16_383 },
  },
  {
    name: 'long texts',
    size: 60,
    make: (count) => [
      'REPT("x",1E9)',
      'REPT("x",32767)',
      ...Array.from({ length: count }, (_, row) => `A${row + 2}&A${row + 2}`),
    ],
  },
  {
    name: 'wildcards',
    size: 200,
    make: (count) =>
      Array(count).fill(
        `COUNTIF(A1:A${count},"${'*a'.repeat(60)}b")&SEARCH("${'*a'.repeat(100)}b","${'a'.repeat(3_000)}")`,
      ),
  },
  {
    name: 'large numbers',
    size: 8,
    make: (count) =>
      repeatTo(count, [...withNumbers('1E9', '1E12'), 'YEARFRAC(0,2958465)', 'ROUND(1E300,1E9)']),
  },
];

/** Returns formulas whose time depends on their arguments in a naive implementation. */
export const withNumbers = (large: string, larger: string): string[] => [
  `FACT(${larger})`,
  `COMBIN(${large},${large}/2)`,
  `RATE(${large},-1,${large})`,
  `IPMT(0.1,${large},${large},1)`,
  `SYD(1,1,${large},1)`,
];

const repeatTo = (count: number, formulas: string[]) =>
  Array.from({ length: count }, (_, at) => formulas[at % formulas.length]!);

/** Computes a sheet with one column of formulas. */
export async function column(formulas: string[], fills?: FormulaCell['fills']): Promise<SheetResults> {
  const cells = formulas.map(
    (formula, row): FormulaCell => ({ row, column: 0, formula, ...(fills && { fills }) }),
  );
  const sheets = [{ name: 'S', rows: new Map(), formulas: cells }];
  const [found] = await computeFormulas(
    { sheets, names: [], dialect: 'ooxml', date1904: false },
    () => true,
    new WorkBudget(),
  );
  return found!;
}
