import type { ChunkMetadata, Filter, Filters } from '#src/ports/index-types.ts';
import { getFilterItems, type Scalar } from '#src/search/filters.ts';
import { isPageKey } from '#src/search/pages.ts';
import { buildPreFilter, type PreFilter } from '#src/sinks/external/pre-filter.ts';
import type { Bind } from '#src/sinks/pgvector/pre-filter-sql.ts';
import { encodeScalar, foldScalar, getFoldedName, getValuesName } from './facets.ts';

/** Returns the metadata keys that are set for single chunks. */
function listChunkKeys(chunkMetadata: ChunkMetadata[]): Set<string> {
  return new Set(chunkMetadata.flatMap(({ chunks }) => Object.values(chunks).flatMap(Object.keys)));
}

/**
 * Returns the condition that is true for exactly those chunks that pass, with the meaning of `matches` in
 * src/search/filters.ts. `d` is the row of the document, `c` that of the chunk, and `o` the chunk's own metadata.
 */
export function buildExactCondition(filters: Filters, chunkMetadata: ChunkMetadata[], bind: Bind): string {
  return new FilterWriter(listChunkKeys(chunkMetadata), bind).writeGroup(filters);
}

/**
 * Returns a weaker condition on the row of the document alone, which an index can look up. Returns `undefined`
 * if the filters have no such part.
 */
export function buildIndexedCondition(
  filters: Filters,
  chunkMetadata: ChunkMetadata[],
  bind: Bind,
): string | undefined {
  const chunkKeys = listChunkKeys(chunkMetadata);
  const preFilter = buildPreFilter(filters, (key, how) => how === 'oneOf' && !chunkKeys.has(key));
  return preFilter && toIndexedCondition(preFilter, bind);
}

class FilterWriter {
  readonly #chunkKeys: Set<string>;
  readonly #bind: Bind;

  constructor(chunkKeys: Set<string>, bind: Bind) {
    this.#chunkKeys = chunkKeys;
    this.#bind = bind;
  }

  writeGroup({ condition, filters }: Filters): string {
    if (filters.length === 0) return 'true';
    const parts = filters.map((part) =>
      'filters' in part ? this.writeGroup(part) : this.#writeFilter(part),
    );
    const joined = `(${parts.join(condition === 'or' ? ' or ' : ' and ')})`;
    return condition === 'not' ? `(not ${joined})` : joined;
  }

  /** Every condition is true or false and never null, so that it can be negated. */
  #writeFilter(filter: Filter): string {
    const { key, operator, value } = filter;
    const items = getFilterItems(filter);
    switch (operator) {
      case '==':
        return this.#writeEquality(key, value, items);
      case '!=':
        return `(not ${this.#writeEquality(key, value, items)})`;
      case '>':
      case '>=':
      case '<':
      case '<=':
        return this.#writeComparison(key, operator, value);
      case 'in':
      case 'any':
        return this.#writeMembership(key, items);
      case 'nin':
        return `(not ${this.#writeMembership(key, items)})`;
      case 'all':
        return `(${this.#values(key)} @> ${this.#json(items.map(encodeScalar))})`;
      case 'contains':
        return this.#writeContains(key, items);
      case 'text_match':
        return this.#writeTextMatch(this.#values(key), items.map(encodeScalar));
      case 'text_match_insensitive':
        return this.#writeTextMatch(this.#read(getFoldedName(key), key), items.map(foldScalar));
      case 'is_empty':
        return `(${this.#values(key)} <@ '[""]'::jsonb)`;
    }
  }

  /** Returns the values of a key as a JSON array. Pages come before the chunk's own metadata. */
  #values(key: string): string {
    return this.#read(getValuesName(key), key);
  }

  #read(name: string, key: string): string {
    const field = `${this.#bind(name)}::text`;
    const sources = [
      ...(isPageKey(key) ? ['c.pages'] : []),
      ...(this.#chunkKeys.has(key) ? ['o.facets'] : []),
      'd.facets',
    ];
    return `coalesce(${sources.map((each) => `${each} -> ${field}`).join(', ')}, '[]'::jsonb)`;
  }

  #json(value: unknown): string {
    return `${this.#bind(JSON.stringify(value))}::text::jsonb`;
  }

  #writeEquality(key: string, value: Filter['value'], items: Scalar[]): string {
    if (value === null) return `(jsonb_array_length(${this.#values(key)}) = 0)`;
    const encoded = items.map(encodeScalar);
    if (Array.isArray(value)) return `(${this.#values(key)} = ${this.#json(encoded)})`;
    return `(${this.#values(key)} @> ${this.#json(encoded)})`;
  }

  #writeMembership(key: string, items: Scalar[]): string {
    if (items.length === 0) return 'false';
    const list = `array(select jsonb_array_elements(${this.#json(items.map(encodeScalar))}))`;
    return `(${this.#values(key)} @> any (${list}))`;
  }

  /** Numbers are compared with numbers, and texts by code point with texts. */
  #writeComparison(key: string, operator: string, value: Filter['value']): string {
    if (typeof value !== 'number' && typeof value !== 'string') return 'false';
    const bound = this.#json({ bound: encodeScalar(value) });
    return `jsonb_path_exists(${this.#values(key)}, '$[*] ? (@ ${operator} $bound)', ${bound}, true)`;
  }

  #writeContains(key: string, items: Scalar[]): string {
    const values = this.#values(key);
    return `(not exists (select from jsonb_array_elements(${this.#json(items.map(encodeScalar))}) item
      where not (${values} @> item or (jsonb_typeof(item) = 'string' and ${hasText(values, 'item')}))))`;
  }

  #writeTextMatch(values: string, items: Scalar[]): string {
    return `(exists (select from jsonb_array_elements(${this.#json(items)}) item
      where jsonb_typeof(item) = 'string' and ${hasText(values, 'item')}))`;
  }
}

/** Returns the condition that one of the values is a text that contains the item. */
function hasText(values: string, item: string): string {
  return `exists (select from jsonb_array_elements(${values}) each
    where jsonb_typeof(each) = 'string' and strpos(each #>> '{}', ${item} #>> '{}') > 0)`;
}

/**
 * Writes the equalities of a pre-filter in the form that the index on `facets` supports. Ranges are left
 * out. `facets` contains booleans as texts, so the booleans of a list are left out too.
 */
function toIndexedCondition(preFilter: PreFilter, bind: Bind): string {
  if ('all' in preFilter)
    return `(${preFilter.all.map((part) => toIndexedCondition(part, bind)).join(' and ')})`;
  if ('any' in preFilter)
    return `(${preFilter.any.map((part) => toIndexedCondition(part, bind)).join(' or ')})`;
  if (!('oneOf' in preFilter)) return 'true';
  const { key, oneOf } = preFilter;
  const conditions = oneOf.flatMap((item) => {
    if (typeof item === 'boolean') return [];
    return [
      `d.facets @> ${bind(JSON.stringify({ [getValuesName(key)]: [encodeScalar(item)] }))}::text::jsonb`,
    ];
  });
  return `(${conditions.join(' or ')})`;
}
