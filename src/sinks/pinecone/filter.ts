import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { fieldOf, PARTIAL } from './metadata.ts';
import type { Place } from './place.ts';

export type Filter = Record<string, unknown>;

export const all = (...filters: Filter[]): Filter => (filters.length === 1 ? filters[0]! : { $and: filters });
export const any = (...filters: Filter[]): Filter => (filters.length === 1 ? filters[0]! : { $or: filters });
export const is = (field: string, value: string | number | boolean): Filter => ({ [field]: { $eq: value } });

/** Records of these documents. Ids are kept with what is half a character replaced. */
export const ofDocuments = (ids: string[]): Filter => ({
  document_id: { $in: ids.map((id) => id.toWellFormed()) },
});

export const upTo = (version: number): Filter => ({ version: { $lte: version } });

/** Passes no record: the vendor has no empty list of alternatives. */
const NOTHING = is('sluice_index', '');

/** Keys as people name them. What the vendor makes of dots, signs and control characters in others is not said. */
const PLAIN_KEY = /^[\p{L}\p{N} _-]{1,200}$/u;

export const isPlainKey = (key: string): boolean => PLAIN_KEY.test(key);

/** A narrowing in the vendor's words. Undefined where the index finds nothing by one of its fields. */
export function filterOf(
  narrowing: Narrowing,
  { filterable }: Pick<Place, 'filterable'>,
): Filter | undefined {
  const fields = [PARTIAL, ...keysOf(narrowing).map(fieldOf)];
  if (filterable && !fields.every((field) => filterable.has(field))) return undefined;
  return any(is(PARTIAL, true), rendered(narrowing));
}

function rendered(narrowing: Narrowing): Filter {
  if ('all' in narrowing) return all(...narrowing.all.map(rendered));
  if ('any' in narrowing) return any(...narrowing.any.map(rendered));
  const field = fieldOf(narrowing.key);
  if (!('oneOf' in narrowing)) {
    const { least, most } = narrowing;
    return all(
      ...(least === undefined ? [] : [{ [field]: { $gte: least } }]),
      ...(most === undefined ? [] : [{ [field]: { $lte: most } }]),
    );
  }
  const { oneOf } = narrowing;
  if (oneOf.length === 0) return NOTHING;
  const texts = oneOf.filter((value) => typeof value === 'string').map((text) => text.toWellFormed());
  const numbers = oneOf.filter((value) => typeof value === 'number');
  const flags = oneOf.filter((value) => typeof value === 'boolean');
  // The vendor's lists of alternatives are of one type, and of texts or numbers only.
  const lists = [texts, numbers]
    .filter((list) => list.length > 0)
    .map((list) => ({ [field]: { $in: list } }));
  return any(...lists, ...flags.map((flag) => is(field, flag)));
}

function keysOf(narrowing: Narrowing): string[] {
  if ('all' in narrowing) return narrowing.all.flatMap(keysOf);
  if ('any' in narrowing) return narrowing.any.flatMap(keysOf);
  return [narrowing.key];
}
