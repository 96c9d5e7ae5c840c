import { itemsOf, matches, matchesOne, type Scalar, valuesOf } from '../../src/search/filters.ts';
import type { Filter, Filters, Metadata } from '../../src/search/types.ts';
import { IDS_IN_ONE_VALUE, slices } from './slices.ts';

/** One row for each value of a document's metadata, so that filters use an index. */
export function insertFilterValues(sql: SqlStorage, versionKey: number, metadata: Metadata): void {
  const rows = Object.entries(metadata).flatMap(([key, value]) => valuesOf(value).map((each) => [key, each]));
  if (rows.length === 0) return;
  sql.exec(
    `INSERT OR IGNORE INTO filter_value
     SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), ? FROM json_each(?)
     WHERE json_extract(value, '$[1]') IS NOT NULL`,
    versionKey,
    JSON.stringify(rows),
  );
}

/** The platform binds 100 parameters, and a condition takes up to 3. */
const MOST_CONDITIONS = 25;
const DEEPEST = 20;

/** Keys of the versions that match, of the published ones or of all. */
export function versionsMatching(
  sql: SqlStorage,
  filters: Filters | undefined,
  documentIds: string[] | undefined,
  which: 'published' | 'all',
): number[] {
  const parameters: (string | number)[] = [];
  let where = which === 'published' ? 'published = 1' : '1';
  if (documentIds !== undefined) {
    const parts = slices(documentIds, IDS_IN_ONE_VALUE).map((slice) => {
      parameters.push(JSON.stringify(slice));
      return 'document_id IN (SELECT value FROM json_each(?))';
    });
    where += ` AND (${parts.join(' OR ') || '0'})`;
  }
  if (filters !== undefined) {
    const { conditions, depth } = sizeOf(filters);
    if (conditions > MOST_CONDITIONS || depth > DEEPEST) {
      const rows = sql.exec<{ key: number; metadata: string }>(
        `SELECT key, metadata FROM version WHERE ${where}`,
        ...parameters,
      );
      return [...rows]
        .filter((row) => matches(JSON.parse(row.metadata) as Metadata, filters))
        .map((row) => row.key);
    }
    where += ` AND (${group(sql, filters, parameters)})`;
  }
  const { keys } = sql
    .exec<{ keys: string }>(`SELECT json_group_array(key) AS keys FROM version WHERE ${where}`, ...parameters)
    .one();
  return JSON.parse(keys) as number[];
}

function sizeOf(filters: Filters): { conditions: number; depth: number } {
  let conditions = 0;
  let depth = 0;
  for (const part of filters.filters) {
    const size = 'filters' in part ? sizeOf(part) : { conditions: 1, depth: 0 };
    conditions += size.conditions;
    depth = Math.max(depth, size.depth);
  }
  return { conditions, depth: depth + 1 };
}

function group(sql: SqlStorage, filters: Filters, parameters: (string | number)[]): string {
  if (filters.filters.length === 0) return '1';
  const parts = filters.filters.map((part) =>
    'filters' in part ? group(sql, part, parameters) : leaf(sql, part, parameters),
  );
  if (filters.condition === 'or') return `(${parts.join(' OR ')})`;
  return `(${filters.condition === 'not' ? 'NOT ' : ''}(${parts.join(' AND ')}))`;
}

function keysIn(keys: number[], parameters: (string | number)[]): string {
  parameters.push(JSON.stringify(keys));
  return 'key IN (SELECT value FROM json_each(?))';
}

/** The same as `matchesOne`, over the rows of `filter_value`. */
function leaf(sql: SqlStorage, filter: Filter, parameters: (string | number)[]): string {
  const having = (test: string, ...values: Scalar[]) => {
    parameters.push(filter.key, ...values);
    return `key IN (SELECT version_key FROM filter_value WHERE key = ? AND ${test})`;
  };
  const listed = (items: Scalar[]) =>
    having('value IN (SELECT value FROM json_each(?))', JSON.stringify(items));
  const { operator, value } = filter;
  switch (operator) {
    case '==':
    case '!=': {
      const equal = () => {
        if (value === null) return `NOT ${having('1')}`;
        return Array.isArray(value)
          ? scanned(sql, { ...filter, operator: '==' }, parameters)
          : having('value = ?', value);
      };
      return operator === '==' ? equal() : `NOT (${equal()})`;
    }
    case '>':
    case '>=':
    case '<':
    case '<=':
      if (value === null || Array.isArray(value)) return '0';
      // Numbers sort before every text, '' first among texts.
      return having(`value ${operator} ? AND value ${typeof value === 'number' ? '<' : '>='} ''`, value);
    case 'in':
    case 'any':
      return listed(itemsOf(filter));
    case 'nin':
      return `NOT ${listed(itemsOf(filter))}`;
    case 'all': {
      const items = [...new Set(itemsOf(filter))];
      if (items.length === 0) return '1';
      return having(
        'value IN (SELECT value FROM json_each(?)) GROUP BY version_key HAVING count(*) = ?',
        JSON.stringify(items),
        items.length,
      );
    }
    case 'is_empty':
      return `NOT ${having(`value <> ''`)}`;
    case 'contains':
    case 'text_match':
    case 'text_match_insensitive':
      return scanned(sql, filter, parameters);
  }
}

/** Conditions that no index answers: read the key's values once and let the evaluator decide. */
function scanned(sql: SqlStorage, filter: Filter, parameters: (string | number)[]): string {
  if (Array.isArray(filter.value) && filter.value.length === 0) {
    if (filter.operator === '==') {
      parameters.push(filter.key);
      return 'NOT key IN (SELECT version_key FROM filter_value WHERE key = ?)';
    }
    return filter.operator === 'contains' ? '1' : '0';
  }
  if (filter.value === null) return filter.operator === 'contains' ? '1' : '0';
  const keys: number[] = [];
  if (filter.operator === '==') {
    const rows = sql.exec<{ key: number; metadata: string }>(
      `SELECT key, metadata FROM version WHERE key IN
         (SELECT version_key FROM filter_value WHERE key = ? AND value = ?)`,
      filter.key,
      itemsOf(filter)[0]!,
    );
    for (const { key, metadata } of rows) {
      if (matchesOne((JSON.parse(metadata) as Metadata)[filter.key], filter)) keys.push(key);
    }
    return keysIn(keys, parameters);
  }
  const values = new Map<number, Scalar[]>();
  const rows = sql.exec<{ version_key: number; value: Scalar }>(
    'SELECT version_key, value FROM filter_value WHERE key = ?',
    filter.key,
  );
  for (const { version_key, value } of rows) {
    const found = values.get(version_key);
    if (found === undefined) values.set(version_key, [value]);
    else found.push(value);
  }
  for (const [key, found] of values) if (matchesOne(found, filter)) keys.push(key);
  return keysIn(keys, parameters);
}
