import { getTableColumns, getTableName, is, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#src/db/schema/index.ts';
import type { Check, Finding } from '#src/services/operating/check.ts';

/** Whether the database has every table and column that this version of the service asks for. */
export const checkSchema: Check = async (ctx) => {
  const tables = Object.values<unknown>(schema).filter((each) => is(each, SQLiteTable));
  const names = tables.map((table) => getTableName(table));
  const rows = await ctx.db.all<{ table: string; column: string }>(
    sql`select t.value as "table", c.name as "column"
      from json_each(${JSON.stringify(names)}) t, pragma_table_info(t.value) c`,
  );
  const known = Map.groupBy(rows, ({ table }) => table);
  const findings = tables.flatMap((table): Finding[] => {
    const place = getTableName(table);
    const columns = new Set(known.get(place)?.map(({ column }) => column));
    // Columns are named after their members, as src/db/client.ts has them spelt.
    const wanted = Object.values(getTableColumns(table)).map(({ name }) => toSnakeCase(name));
    const missing = wanted.filter((name) => !columns.has(name));
    if (missing.length === 0) return [];
    const message =
      columns.size === 0
        ? 'The table is missing: apply the migrations.'
        : `It lacks ${missing.join(', ')}: apply the migrations.`;
    return [{ level: 'fail', place, message, mended: false }];
  });
  return { examined: tables.length, findings, next_page_token: null };
};
