import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { EVERY_KEY } from './metadata.ts';

export type AstraFilter = Record<string, unknown>;

/** The vendor's limit on the values of one `$in`. */
const MOST_VALUES = 100;
/** The vendor takes 64 comparisons in a filter. */
const MOST_COMPARISONS = 60;

/** The vendor's filter; undefined where it cannot say the narrowing, and all pass. */
export function filterOf(narrowing: Narrowing): AstraFilter | undefined {
  const filter = rendered(narrowing);
  return filter && comparisonsIn(filter) <= MOST_COMPARISONS ? filter : undefined;
}

function rendered(narrowing: Narrowing): AstraFilter | undefined {
  if ('all' in narrowing) return group('$and', narrowing.all.map(rendered).filter(isSaid));
  if ('any' in narrowing) {
    const parts = narrowing.any.map(rendered);
    return parts.every(isSaid) ? group('$or', parts) : undefined;
  }
  const { key } = narrowing;
  const path = pathOf(key);
  const unfilterable = { unfilterable: { $in: [key, EVERY_KEY] } };
  if ('oneOf' in narrowing) {
    const values = narrowing.oneOf.filter(isComparable);
    return group('$or', [...slices(values).map(($in) => ({ [path]: { $in } })), unfilterable]);
  }
  const { least, most } = narrowing;
  const range = {
    ...(isBound(least) && { $gte: least }),
    ...(isBound(most) && { $lte: most }),
  };
  if (Object.keys(range).length === 0) return undefined;
  return group('$or', [{ [path]: range }, { number_lists: key }, unfilterable]);
}

const isSaid = (part: AstraFilter | undefined): part is AstraFilter => part !== undefined;

function group(how: '$and' | '$or', parts: AstraFilter[]): AstraFilter | undefined {
  return parts.length < 2 ? parts[0] : { [how]: parts };
}

/** A member of the metadata; dots are what paths are made of. */
const pathOf = (key: string) => `metadata.${key.replaceAll(/[&.]/g, '&$&')}`;

/** Infinite bounds are unsaid: values that JSON cannot tell are not looked up. */
const isBound = (bound: number | undefined) => bound !== undefined && Number.isFinite(bound);

function isComparable(value: string | number | boolean): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'boolean' || value.isWellFormed();
}

/** In lists that one `$in` takes. */
export function slices<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_VALUES) }, (_, i) =>
    items.slice(i * MOST_VALUES, (i + 1) * MOST_VALUES),
  );
}

function comparisonsIn(filter: AstraFilter): number {
  const counts = Object.values(filter).map((value) => {
    if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + comparisonsIn(part), 0);
    return typeof value === 'object' ? Object.keys(value as object).length : 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
