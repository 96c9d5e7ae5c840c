import { isRecord } from '#src/json-schema/schema.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';

/**
 * Where the items of one list belong among rows that other parts of the schema have told of: for each item the
 * index of its row, or of a new one behind them. An item belongs to the next row whose single values agree with its
 * own. What agrees with none goes by its position, unless its values contradict that row's and the counts differ.
 */
export function align(rows: unknown[][], items: unknown[]): number[] {
  const places = new Map<number, number>();
  const taken = new Set<number>();
  let next = 0;
  for (const [index, item] of items.entries()) {
    const row = rowOf(rows, item, taken, next);
    if (row === undefined) continue;
    places.set(index, row);
    taken.add(row);
    next = row + 1;
  }
  let end = rows.length;
  return items.map((item, index) => {
    const known = places.get(index);
    if (known !== undefined) return known;
    const row = rows[index];
    const fits = row && !taken.has(index) && (rows.length === items.length || !contradicts(row, item));
    return fits ? index : end++;
  });
}

/** From `next` on, then from the start: models mostly keep the order. */
function rowOf(
  rows: unknown[][],
  item: unknown,
  taken: ReadonlySet<number>,
  next: number,
): number | undefined {
  for (let step = 0; step < rows.length; step += 1) {
    const row = (next + step) % rows.length;
    if (!taken.has(row) && rows[row]!.some((other) => agreement(other, item) === true)) return row;
  }
  return undefined;
}

const contradicts = (row: unknown[], item: unknown) => row.some((other) => agreement(other, item) === false);

/** Whether all single values that both hold are alike; undefined when they have none in common. */
function agreement(left: unknown, right: unknown): boolean | undefined {
  if (!isRecord(left) || !isRecord(right)) return canonicalJson(left) === canonicalJson(right);
  const common = Object.keys(left).filter((name) => isSingle(left[name]) && isSingle(right[name]));
  return common.length > 0 ? common.every((name) => spell(left[name]) === spell(right[name])) : undefined;
}

const isSingle = (value: unknown) => value !== undefined && value !== null && typeof value !== 'object';
const spell = (value: unknown) => String(value).toLowerCase().replace(/\s+/g, '');
