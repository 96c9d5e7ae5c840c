import { centerY } from '../geometry.ts';
import { AXIS, type Item } from './items.ts';

/** Size of script letters relative to the letters of their row. */
export const SCRIPT_SIZE = 0.86;
/** Minimum distance between the baselines of two rows, in letter heights. */
const ROW_GAP = 0.45;

/** Returns the size of the letters of a row. Scripts are smaller. */
export function findSize(items: readonly Item[]): number {
  const plain = items.filter(({ kind }) => kind === 'letter' || kind === 'sign');
  return (plain.length > 0 ? plain : items).reduce((most, { size }) => Math.max(most, size), 0);
}

const isOnBaseline = ({ kind, size }: Item, rowSize: number) =>
  (kind === 'letter' || kind === 'sign') && size >= SCRIPT_SIZE * rowSize;

/** Returns the baselines of the rows from top to bottom. */
export function findBaselines(items: readonly Item[]): number[] {
  const size = findSize(items);
  const plain = items.filter((item) => isOnBaseline(item, size));
  const bases = (plain.length > 0 ? plain : items).map(({ base }) => base).toSorted((a, b) => a - b);
  const groups: number[][] = [];
  for (const base of bases) {
    const group = groups.at(-1);
    if (group && base - group.at(-1)! <= ROW_GAP * size) group.push(base);
    else groups.push([base]);
  }
  return groups.map((group) => group[group.length >> 1]!);
}

/** Splits items into rows from top to bottom. */
export function splitIntoRows(items: readonly Item[]): Item[][] {
  const baselines = findBaselines(items);
  const size = findSize(items);
  const rows: Item[][] = baselines.map(() => []);
  for (const item of items) {
    const isPlain = isOnBaseline(item, size);
    const distance = (base: number) =>
      isPlain ? Math.abs(item.base - base) : Math.abs(centerY(item) - (base - AXIS * size));
    let nearest = 0;
    for (const [at, base] of baselines.entries())
      if (distance(base) < distance(baselines[nearest]!)) nearest = at;
    rows[nearest]!.push(item);
  }
  return rows;
}
