import { and, not, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { isInList } from '#src/db/is-in-list.ts';
import { agentData } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { type Field, parseField } from './fields.ts';

const MAX_VALUE_CHARACTERS = 1000;
const MAX_LISTED_VALUES = 100;
/** Maximum number of comparisons of a filter. Each has up to five parameters, and D1 allows 100 per statement. */
const MAX_COMPARISONS = 15;

const value = z.union([z.string().max(MAX_VALUE_CHARACTERS), z.number(), z.boolean(), z.null()]);
type Value = z.infer<typeof value>;
const values = z.array(value).max(MAX_LISTED_VALUES);
const bound = z.union([z.string().max(MAX_VALUE_CHARACTERS), z.number()]);

/** Comparisons of a field. Unknown ones are refused, because ignoring one would select more items. */
const comparisons = z
  .strictObject({
    eq: value.optional().describe('Equal. Null matches null and missing members.'),
    ne: value.optional().describe('Not equal, or missing.'),
    gt: bound.optional().describe('Greater, among values of the same type.'),
    gte: bound.optional(),
    lt: bound.optional(),
    lte: bound.optional(),
    includes: values.optional().describe('One of the values. A list matches if one of its entries does.'),
    excludes: values.optional().describe('None of the values.'),
  })
  .meta({ id: 'AgentDataComparison' });

export const filter = z
  .record(z.string(), comparisons)
  .describe(
    'Comparisons by field, all of which an item must satisfy. Names of nested members are joined by dots. ' +
      '`created_at` and `updated_at` are times of the item.',
  );
export type Filter = z.infer<typeof filter>;

const BOUNDS = { gt: sql.raw('>'), gte: sql.raw('>='), lt: sql.raw('<'), lte: sql.raw('<=') } as const;
const EQUAL = sql.raw('=');

/** Returns the SQL condition of a filter, or `undefined` if the filter is absent or empty. */
export function buildFilter(given: Filter | null | undefined): SQL | undefined {
  const found = Object.entries(given ?? {}).flatMap(([name, compared]) => {
    const loc = ['filter', name];
    const field = parseField(name, loc);
    const wanted = Object.entries(compared).filter(([, each]) => each !== undefined);
    if (wanted.length === 0) throw Invalid.field(loc, 'Value error, must have at least one comparison');
    return wanted.map(([operator, each]) =>
      compare(field, operator, each as Value | Value[], [...loc, operator]),
    );
  });
  if (found.length > MAX_COMPARISONS)
    throw Invalid.field(['filter'], `Value error, must have at most ${MAX_COMPARISONS} comparisons`);
  return and(...found);
}

function compare(field: Field, operator: string, wanted: Value | Value[], loc: string[]): SQL {
  const toCondition = 'time' in field ? compareTime(field.time, loc) : compareMember(field.path);
  if (operator === 'includes' || operator === 'excludes') {
    const found =
      'path' in field
        ? includesMember(field.path, wanted as Value[])
        : isInList(
            field.time,
            (wanted as Value[]).map((each) => readTime(each, loc)),
          );
    return operator === 'includes' ? found : not(found);
  }
  if (operator === 'eq') return toCondition(EQUAL, wanted as Value);
  if (operator === 'ne') return not(toCondition(EQUAL, wanted as Value));
  return toCondition(BOUNDS[operator as keyof typeof BOUNDS], wanted as Value);
}

/** Compares a time of the item, which is stored in milliseconds. */
const compareTime = (column: SQLiteColumn, loc: string[]) => (operator: SQL, wanted: Value) =>
  sql`${column} ${operator} ${readTime(wanted, loc)}`;

/** Returns a time in milliseconds. */
function readTime(wanted: Value, loc: string[]): number {
  const time = typeof wanted === 'string' ? Date.parse(wanted) : Number.NaN;
  if (Number.isNaN(time)) throw Invalid.field(loc, 'Value error, must be a date and time in ISO 8601');
  return time;
}

/** Compares a member with a value of the same type. The result is 0 or 1, never null. */
const compareMember =
  (path: string) =>
  (operator: SQL, wanted: Value): SQL => {
    const type = sql`coalesce(json_type(${agentData.data}, ${path}), 'null')`;
    if (wanted === null || typeof wanted === 'boolean') return sql`${type} = ${String(wanted)}`;
    const types = typeof wanted === 'number' ? sql`('integer', 'real')` : sql`('text')`;
    return sql`(${type} in ${types} and json_extract(${agentData.data}, ${path}) ${operator} ${wanted})`;
  };

/** Tests whether a member, or one entry of a member that is a list, is one of the values. */
function includesMember(path: string, wanted: Value[]): SQL {
  const simpleType = (name: string) =>
    sql.raw(`case when ${name}.type in ('integer', 'real') then 'number' else ${name}.type end`);
  const found = sql`exists (select 1 from json_each(${agentData.data}, ${path}) found, json_each(${JSON.stringify(wanted)}) wanted
    where ${simpleType('found')} = ${simpleType('wanted')} and found.value is wanted.value
    and json_type(${agentData.data}, ${path}) <> 'object')`;
  if (!wanted.includes(null)) return found;
  return sql`(${found} or ${compareMember(path)(EQUAL, null)})`;
}
