import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import type { IndexTarget } from './index-target.ts';
import { PARTIAL, toFieldName } from './metadata.ts';

export type Filter = Record<string, unknown>;

export const all = (...filters: Filter[]): Filter => (filters.length === 1 ? filters[0]! : { $and: filters });
export const any = (...filters: Filter[]): Filter => (filters.length === 1 ? filters[0]! : { $or: filters });
export const is = (field: string, value: string | number | boolean): Filter => ({ [field]: { $eq: value } });

/**
 * Returns a Pinecone filter that accepts only the records of the given documents. Unpaired surrogates in
 * document ids are replaced, as in the stored records.
 */
export const hasDocumentId = (ids: string[]): Filter => ({
  document_id: { $in: ids.map((id) => id.toWellFormed()) },
});

export const hasVersionUpTo = (version: number): Filter => ({ version: { $lte: version } });

/**
 * Pinecone filter that matches no record. It is needed because Pinecone does not accept an empty list of
 * alternatives.
 */
const MATCHES_NOTHING = is('sluice_index', '');

/**
 * Matches metadata keys that Pinecone can filter by. Pinecone does not document how it handles dots,
 * punctuation and control characters in keys.
 */
const PLAIN_KEY = /^[\p{L}\p{N} _-]{1,200}$/u;

export const isPlainKey = (key: string): boolean => PLAIN_KEY.test(key);

/**
 * Converts a pre-filter to a filter of Pinecone. Returns `undefined` if the index cannot filter by one of the
 * fields.
 */
export function toPineconeFilter(
  preFilter: PreFilter,
  { filterable }: Pick<IndexTarget, 'filterable'>,
): Filter | undefined {
  const fields = [PARTIAL, ...listKeys(preFilter).map(toFieldName)];
  if (filterable && !fields.every((field) => filterable.has(field))) return undefined;
  return any(is(PARTIAL, true), convert(preFilter));
}

function convert(preFilter: PreFilter): Filter {
  if ('all' in preFilter) return all(...preFilter.all.map(convert));
  if ('any' in preFilter) return any(...preFilter.any.map(convert));
  const field = toFieldName(preFilter.key);
  if (!('oneOf' in preFilter)) {
    const { least, most } = preFilter;
    return all(
      ...(least === undefined ? [] : [{ [field]: { $gte: least } }]),
      ...(most === undefined ? [] : [{ [field]: { $lte: most } }]),
    );
  }
  const { oneOf } = preFilter;
  if (oneOf.length === 0) return MATCHES_NOTHING;
  const texts = oneOf.filter((value) => typeof value === 'string').map((text) => text.toWellFormed());
  const numbers = oneOf.filter((value) => typeof value === 'number');
  const flags = oneOf.filter((value) => typeof value === 'boolean');
  // Lists of alternatives in Pinecone filters may contain strings or numbers, but no booleans.
  const lists = [texts, numbers]
    .filter((list) => list.length > 0)
    .map((list) => ({ [field]: { $in: list } }));
  return any(...lists, ...flags.map((flag) => is(field, flag)));
}

function listKeys(preFilter: PreFilter): string[] {
  if ('all' in preFilter) return preFilter.all.flatMap(listKeys);
  if ('any' in preFilter) return preFilter.any.flatMap(listKeys);
  return [preFilter.key];
}
