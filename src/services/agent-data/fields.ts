import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { agentData } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';

const MAX_FIELD_CHARACTERS = 200;
const MAX_SORT_FIELDS = 4;
/** Characters that end or escape a name in SQLite's paths into JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused on purpose.
const UNUSABLE = /["\\\u0000-\u001f]/;

/** Field by which items are filtered or sorted: a member of the item's data, or a time of the item itself. */
export type Field = { name: string } & ({ path: string } | { time: SQLiteColumn });

const TIMES: Readonly<Record<string, SQLiteColumn>> = {
  created_at: agentData.createdAt,
  updated_at: agentData.updatedAt,
};

/**
 * Parses the name of a field. `a.b` is the member `b` of the member `a`. `data.` may precede the name, which is
 * necessary for a member with the name `created_at` or `updated_at`. Errors name `loc` as the location.
 */
export function parseField(name: string, loc: (string | number)[]): Field {
  const time = Object.hasOwn(TIMES, name) ? TIMES[name] : undefined;
  if (time) return { name, time };
  const steps = name.replace(/^data\./, '').split('.');
  if (name.length > MAX_FIELD_CHARACTERS || steps.includes('') || UNUSABLE.test(name)) {
    throw Invalid.field(
      loc,
      `Value error, must be names of members joined by dots, with at most ${MAX_FIELD_CHARACTERS} characters and without quotes, backslashes and control characters`,
    );
  }
  return { name, path: `$${steps.map((step) => `."${step}"`).join('')}` };
}

/** Parses the name of a member of the data. Times of the item are refused. */
export function parseDataField(name: string, loc: (string | number)[]): { name: string; path: string } {
  const field = parseField(name, loc);
  if ('path' in field) return field;
  throw Invalid.field(
    loc,
    `Value error, ${name} is no member of the data; write data.${name} for such a member`,
  );
}

/** Returns the SQL value of a field by which rows can be sorted. Missing members come first. */
export const getSortValue = (field: Field): SQL =>
  'time' in field ? sql`${field.time}` : sql`json_extract(${agentData.data}, ${field.path})`;

export interface SortKey {
  name: string;
  direction: SQL;
}

/** Parses `order_by`: names of fields separated by commas, each with an optional direction. */
export function parseOrder(text: string | null | undefined): SortKey[] {
  const parts = (text ?? '').split(',').flatMap((part) => part.trim() || []);
  if (parts.length > MAX_SORT_FIELDS)
    throw Invalid.field(['order_by'], `Value error, must have at most ${MAX_SORT_FIELDS} fields`);
  return parts.map((part) => {
    const [name = '', direction = 'asc', ...more] = part.split(/\s+/);
    if (more.length > 0 || !/^(asc|desc)$/i.test(direction))
      throw Invalid.field(['order_by'], 'Value error, each field may only be followed by asc or desc');
    return { name, direction: sql.raw(direction.toLowerCase()) };
  });
}
