import { largest } from '#src/lib/extremes.ts';
import { countTextSteps, type FormulaSheets } from './sheets.ts';
import { CellError, isMatrix, type Matrix, type Scalar, type Value } from './values.ts';

/**
 * Applies a formula operation to single values. If some of the values are matrices, the operation is applied
 * to each of their cells.
 */
export function broadcast(
  values: readonly Value[],
  sheets: FormulaSheets,
  operate: (values: Scalar[]) => Scalar,
): Scalar | Matrix {
  const operation = (scalars: Scalar[]) => {
    const result = operate(scalars);
    if (typeof result === 'string') sheets.spend(countTextSteps(result));
    return result;
  };
  const matrices = values.filter(isMatrix);
  if (matrices.length === 0) return operation(values as Scalar[]);
  const height = largest(matrices.map((matrix) => matrix.length));
  const width = largest(matrices.map((matrix) => matrix[0]?.length ?? 0));
  sheets.spend(height * width);
  const at = (value: Value, row: number, column: number): Scalar => {
    if (!isMatrix(value)) return value as Scalar;
    const line = value.length === 1 ? value[0] : value[row];
    if (!line) return new CellError('#N/A');
    const cell = line.length === 1 ? line[0] : line[column];
    return cell === undefined ? new CellError('#N/A') : cell;
  };
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => operation(values.map((value) => at(value, row, column)))),
  );
}
