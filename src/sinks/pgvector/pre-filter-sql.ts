import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { toStorable } from './table.ts';

export type Bind = (value: string | number) => string;

/** Returns whether a metadata key is stored unchanged, so that it cannot be confused with another key. */
export const isFilterable = (key: string): boolean => toStorable(key) === key && !key.includes('\ufffd');

/**
 * Converts a pre-filter to an SQL condition on the column `metadata`. All keys and values are bound as
 * parameters.
 */
export function toSqlCondition(preFilter: PreFilter, bind: Bind): string {
  if ('all' in preFilter) return joined(preFilter.all, ' and ', 'true', bind);
  if ('any' in preFilter) return joined(preFilter.any, ' or ', 'false', bind);
  const values = () => `(metadata -> ${bind(preFilter.key)}::text)`;
  if ('oneOf' in preFilter) {
    const items = preFilter.oneOf.map((item) => (typeof item === 'string' ? toStorable(item) : item));
    // In PostgreSQL, a jsonb list contains each of its elements, and a jsonb scalar contains itself.
    return `${values()} @> any (select jsonb_array_elements(${bind(JSON.stringify(items))}::text::jsonb))`;
  }
  const bounds = Object.entries({ least: preFilter.least, most: preFilter.most }).filter(([, bound]) =>
    Number.isFinite(bound),
  );
  if (bounds.length === 0) return 'true';
  const conditions = bounds.map(([name]) => `@ ${name === 'least' ? '>=' : '<='} $${name}`).join(' && ');
  const vars = bind(JSON.stringify(Object.fromEntries(bounds)));
  // The JSON path compares each element of a list, or the single value. Values that are not numbers never
  // match.
  return `jsonb_path_exists(${values()}, '$[*] ? (${conditions})', ${vars}::text::jsonb, true)`;
}

function joined(parts: PreFilter[], by: string, empty: string, bind: Bind): string {
  return parts.length === 0 ? empty : `(${parts.map((part) => toSqlCondition(part, bind)).join(by)})`;
}
