import type { Filter, Filters, Metadata } from '#src/ports/index-types.ts';
import { itemsOf, matchesOne, type Scalar, valuesOf } from '#src/search/filters.ts';
import { caselessGlob } from './caseless-glob.ts';

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

/** The platform binds 100 parameters, and a condition takes up to 6. */
export const MOST_CONDITIONS = 15;

/** Keys of the versions that match, of the published ones or of all. At most MOST_CONDITIONS, nested a little. */
export function versionsMatching(sql: SqlStorage, filters: Filters, which: 'published' | 'all'): number[] {
  const parameters: (string | number)[] = [];
  const where = `${which === 'published' ? 'published = 1 AND ' : ''}(${group(sql, filters, parameters)})`;
  const { keys } = sql
    .exec<{ keys: string }>(`SELECT json_group_array(key) AS keys FROM version WHERE ${where}`, ...parameters)
    .one();
  return JSON.parse(keys) as number[];
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
          ? equalToList(sql, { ...filter, operator: '==' }, parameters)
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
    case 'contains': {
      const items = [...new Set(itemsOf(filter))];
      const texts = items.filter((item) => typeof item === 'string');
      const numbers = items.filter((item) => typeof item === 'number');
      const parts: string[] = [];
      if (numbers.length > 0) {
        parts.push(leaf(sql, { ...filter, operator: 'all', value: numbers }, parameters));
      }
      if (texts.length > 0) parts.push(including(filter.key, texts, parameters, 'every'));
      return parts.join(' AND ') || '1';
    }
    case 'text_match':
      return including(filter.key, textsOf(filter), parameters);
    case 'text_match_insensitive': {
      const texts = textsOf(filter).map((text) => text.toLowerCase());
      const found = including(filter.key, texts, parameters, 'some', true);
      return `(${found} OR ${keysIn(keysOfWide(sql, filter), parameters)})`;
    }
  }
}

function textsOf(filter: Filter): string[] {
  return itemsOf(filter).filter((item) => typeof item === 'string');
}

/** Values are strings that include some or every one of the texts: numbers sort before ''. */
function including(
  key: string,
  texts: string[],
  parameters: (string | number)[],
  which: 'some' | 'every' = 'some',
  folded = false,
): string {
  const value = folded ? 'lower(f.value)' : 'f.value';
  const from = (table: string, test: string) =>
    `key IN (SELECT f.version_key FROM ${table} WHERE f.key = ? AND f.value >= '' AND ${test}`;
  if (texts.length === 1) {
    const [text] = texts as [string];
    parameters.push(key, ...(folded ? [caseless(text)] : []), text);
    return `${from('filter_value f', `${folded ? 'instr(f.value, ?) > 0 AND ' : ''}instr(${value}, ?) > 0`)})`;
  }
  parameters.push(JSON.stringify(texts), key);
  const each = from('json_each(?) i CROSS JOIN filter_value f', `instr(${value}, i.value) > 0`);
  if (which === 'some') return `${each})`;
  parameters.push(texts.length);
  return `${each} GROUP BY 1 HAVING count(DISTINCT i.key) = ?)`;
}

/** Not changed by folding, nor made by it of anything else. */
const CASELESS = /[^\p{Changes_When_Casemapped}\p{M}]+/gu;

/** The longest part that folding leaves as it is: quickly tells most values that do not match. */
function caseless(text: string): string {
  return (text.match(CASELESS) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    '',
  );
}

/** SQL folds ASCII only: of values with other letters the evaluator says whether they match. */
function keysOfWide(sql: SqlStorage, filter: Filter): number[] {
  const texts = textsOf(filter).map((text) => text.toLowerCase());
  const text = texts.length === 1 ? texts[0]! : '';
  // A pattern sees nothing behind U+0000.
  const rows = sql.exec<{ version_key: number; value: string }>(
    `SELECT version_key, value FROM filter_value
     WHERE key = ? AND value >= '' AND instr(value, ?) > 0 AND length(value) < length(CAST(value AS BLOB))
       AND (value GLOB ? OR instr(value, char(0)) > 0)`,
    filter.key,
    caseless(text),
    caselessGlob(text),
  );
  return [...rows].filter(({ value }) => matchesOne(value, filter)).map(({ version_key }) => version_key);
}

/** Equal to a list: the documents that have its first item, and the evaluator decides. */
function equalToList(sql: SqlStorage, filter: Filter, parameters: (string | number)[]): string {
  const [first] = itemsOf(filter);
  if (first === undefined) {
    parameters.push(filter.key);
    return 'NOT key IN (SELECT version_key FROM filter_value WHERE key = ?)';
  }
  const rows = sql.exec<{ key: number; metadata: string }>(
    `SELECT key, metadata FROM version WHERE key IN
       (SELECT version_key FROM filter_value WHERE key = ? AND value = ?)`,
    filter.key,
    first,
  );
  const equal = [...rows].filter(({ metadata }) =>
    matchesOne((JSON.parse(metadata) as Metadata)[filter.key], filter),
  );
  return keysIn(
    equal.map(({ key }) => key),
    parameters,
  );
}
