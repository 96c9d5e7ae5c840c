import type { Filter, Filters, Metadata } from '#src/ports/index-types.ts';
import { getFilterItems, matchesFilter, type Scalar, toScalars } from '#src/search/filters.ts';
import { buildCaselessGlob } from './caseless-glob.ts';

/** Maximum length of a JSON parameter with the metadata of several versions, well below Cloudflare's 2 MB per value. */
const MAX_JSON_LENGTH = 500_000;

/**
 * Stores one row for each metadata value of each version, so that filters can use an index. A version is given by its
 * key.
 */
export function insertFilterValues(
  sql: SqlStorage,
  versions: readonly (readonly [versionKey: number, metadata: Metadata])[],
): void {
  let rows: string[] = [];
  let length = 0;
  const write = () => {
    if (rows.length === 0) return;
    sql.exec(
      `INSERT OR IGNORE INTO filter_value
       SELECT json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[0]') FROM json_each(?)
       WHERE json_extract(value, '$[2]') IS NOT NULL`,
      `[${rows.join()}]`,
    );
    [rows, length] = [[], 0];
  };
  for (const [versionKey, metadata] of versions) {
    const own = Object.entries(metadata).flatMap(([key, value]) =>
      toScalars(value).map((each) => JSON.stringify([versionKey, key, each])),
    );
    const ownLength = own.reduce((sum, row) => sum + row.length, 0);
    if (length + ownLength > MAX_JSON_LENGTH) write();
    for (const row of own) rows.push(row);
    length += ownLength;
  }
  write();
}

/**
 * Maximum number of filter conditions per SQL statement. Cloudflare allows 100 parameters per statement, and
 * a condition uses up to 6.
 */
export const MAX_CONDITIONS = 15;

/**
 * Returns the keys of the document versions that match the filters, among the published versions or all of
 * them. The filters may have at most `MAX_CONDITIONS` conditions and must not be nested deeply.
 */
export function findMatchingVersions(
  sql: SqlStorage,
  filters: Filters,
  which: 'published' | 'all',
): number[] {
  const parameters: (string | number)[] = [];
  const where = `${which === 'published' ? 'published = 1 AND ' : ''}(${buildGroup(sql, filters, parameters)})`;
  const { keys } = sql
    .exec<{ keys: string }>(`SELECT json_group_array(key) AS keys FROM version WHERE ${where}`, ...parameters)
    .one();
  return JSON.parse(keys) as number[];
}

function buildGroup(sql: SqlStorage, filters: Filters, parameters: (string | number)[]): string {
  if (filters.filters.length === 0) return '1';
  const parts = filters.filters.map((part) =>
    'filters' in part ? buildGroup(sql, part, parameters) : buildCondition(sql, part, parameters),
  );
  if (filters.condition === 'or') return `(${parts.join(' OR ')})`;
  return `(${filters.condition === 'not' ? 'NOT ' : ''}(${parts.join(' AND ')}))`;
}

function buildKeyList(keys: number[], parameters: (string | number)[]): string {
  parameters.push(JSON.stringify(keys));
  return 'key IN (SELECT value FROM json_each(?))';
}

/**
 * Builds the SQL condition for one filter. It gives the same result as `matchesFilter`, but reads the
 * `filter_value` table.
 */
function buildCondition(sql: SqlStorage, filter: Filter, parameters: (string | number)[]): string {
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
          ? buildListEquality(sql, { ...filter, operator: '==' }, parameters)
          : having('value = ?', value);
      };
      return operator === '==' ? equal() : `NOT (${equal()})`;
    }
    case '>':
    case '>=':
    case '<':
    case '<=':
      if (value === null || Array.isArray(value)) return '0';
      // SQLite sorts numbers before texts, and the empty text before all others. Comparing with '' therefore
      // separates numbers from texts.
      return having(`value ${operator} ? AND value ${typeof value === 'number' ? '<' : '>='} ''`, value);
    case 'in':
    case 'any':
      return listed(getFilterItems(filter));
    case 'nin':
      return `NOT ${listed(getFilterItems(filter))}`;
    case 'all': {
      const items = [...new Set(getFilterItems(filter))];
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
      const items = [...new Set(getFilterItems(filter))];
      const texts = items.filter((item) => typeof item === 'string');
      const numbers = items.filter((item) => typeof item === 'number');
      const parts: string[] = [];
      if (numbers.length > 0) {
        parts.push(buildCondition(sql, { ...filter, operator: 'all', value: numbers }, parameters));
      }
      if (texts.length > 0) parts.push(buildTextCondition(filter.key, texts, parameters, 'every'));
      return parts.join(' AND ') || '1';
    }
    case 'text_match':
      return buildTextCondition(filter.key, getTextItems(filter), parameters);
    case 'text_match_insensitive': {
      const texts = getTextItems(filter).map((text) => text.toLowerCase());
      const found = buildTextCondition(filter.key, texts, parameters, 'some', true);
      return `(${found} OR ${buildKeyList(findNonAsciiMatches(sql, filter), parameters)})`;
    }
  }
}

function getTextItems(filter: Filter): string[] {
  return getFilterItems(filter).filter((item) => typeof item === 'string');
}

/**
 * Builds the SQL condition for string values that contain some or every one of the texts. Comparing with ''
 * excludes numbers, which SQLite sorts before texts.
 */
function buildTextCondition(
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
    parameters.push(key, ...(folded ? [findCaselessPart(text)] : []), text);
    return `${from('filter_value f', `${folded ? 'instr(f.value, ?) > 0 AND ' : ''}instr(${value}, ?) > 0`)})`;
  }
  parameters.push(JSON.stringify(texts), key);
  const each = from('json_each(?) i CROSS JOIN filter_value f', `instr(${value}, i.value) > 0`);
  if (which === 'some') return `${each})`;
  parameters.push(texts.length);
  return `${each} GROUP BY 1 HAVING count(DISTINCT i.key) = ?)`;
}

/**
 * Matches parts of a text that lower-casing leaves unchanged and that no other character is lower-cased to.
 */
const CASELESS = /[^\p{Changes_When_Casemapped}\p{M}]+/gu;

/**
 * Returns the longest part of a text that lower-casing leaves unchanged. Searching for this part quickly
 * excludes most values that do not match.
 */
function findCaselessPart(text: string): string {
  return (text.match(CASELESS) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    '',
  );
}

/**
 * Returns the versions with a matching value that contains non-ASCII characters. SQLite lower-cases ASCII
 * only, so these values are tested in JavaScript.
 */
function findNonAsciiMatches(sql: SqlStorage, filter: Filter): number[] {
  const texts = getTextItems(filter).map((text) => text.toLowerCase());
  const text = texts.length === 1 ? texts[0]! : '';
  // The GLOB operator of SQLite ignores everything after U+0000, so values with this character are always
  // selected.
  const rows = sql.exec<{ version_key: number; value: string }>(
    `SELECT version_key, value FROM filter_value
     WHERE key = ? AND value >= '' AND instr(value, ?) > 0 AND length(value) < length(CAST(value AS BLOB))
       AND (value GLOB ? OR instr(value, char(0)) > 0)`,
    filter.key,
    findCaselessPart(text),
    buildCaselessGlob(text),
  );
  return [...rows].filter(({ value }) => matchesFilter(value, filter)).map(({ version_key }) => version_key);
}

/**
 * Builds the SQL condition for equality with a list. The SQL finds the versions with the list's first item,
 * and `matchesFilter` compares the whole list.
 */
function buildListEquality(sql: SqlStorage, filter: Filter, parameters: (string | number)[]): string {
  const [first] = getFilterItems(filter);
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
    matchesFilter((JSON.parse(metadata) as Metadata)[filter.key], filter),
  );
  return buildKeyList(
    equal.map(({ key }) => key),
    parameters,
  );
}
