import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { storable } from './table.ts';

/** Takes a value of a statement and answers how the statement names it. */
export type Bind = (value: string | number) => string;

/** Two keys of a document never become one of these. */
export const isFilterable = (key: string): boolean => storable(key) === key && !key.includes('\ufffd');

/** A condition on the column `metadata`. Keys and values are all parameters. */
export function narrowingSql(narrowing: Narrowing, bind: Bind): string {
  if ('all' in narrowing) return joined(narrowing.all, ' and ', 'true', bind);
  if ('any' in narrowing) return joined(narrowing.any, ' or ', 'false', bind);
  const values = () => `(metadata -> ${bind(narrowing.key)}::text)`;
  if ('oneOf' in narrowing) {
    const items = narrowing.oneOf.map((item) => (typeof item === 'string' ? storable(item) : item));
    // A list contains each of its elements, and a scalar contains itself.
    return `${values()} @> any (select jsonb_array_elements(${bind(JSON.stringify(items))}::text::jsonb))`;
  }
  const bounds = Object.entries({ least: narrowing.least, most: narrowing.most }).filter(([, bound]) =>
    Number.isFinite(bound),
  );
  if (bounds.length === 0) return 'true';
  const conditions = bounds.map(([name]) => `@ ${name === 'least' ? '>=' : '<='} $${name}`).join(' && ');
  const vars = bind(JSON.stringify(Object.fromEntries(bounds)));
  // Steps into a list, takes a scalar as it is; what is no number passes no comparison with one.
  return `jsonb_path_exists(${values()}, '$[*] ? (${conditions})', ${vars}::text::jsonb, true)`;
}

function joined(parts: Narrowing[], by: string, empty: string, bind: Bind): string {
  return parts.length === 0 ? empty : `(${parts.map((part) => narrowingSql(part, bind)).join(by)})`;
}
