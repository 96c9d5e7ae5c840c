import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** A table as SQL calls it. */
export interface Shape {
  name: string;
  columns: string[];
  /** The columns of its primary key: their order is the order in which its rows are read. */
  key: string[];
  /** Columns that a row cannot do without. */
  required: string[];
  references: Reference[];
}

/** A column that names a row of another table by its id. */
export interface Reference {
  column: string;
  table: string;
}

/** Columns are named after their members, as src/db/client.ts has them spelt. */
export const columnName = ({ name }: Pick<SQLiteColumn, 'name'>) => toSnakeCase(name);

const shapes = new WeakMap<SQLiteTable, Shape>();

export function shapeOf(table: SQLiteTable): Shape {
  const known = shapes.get(table) ?? readShape(table);
  shapes.set(table, known);
  return known;
}

function readShape(table: SQLiteTable): Shape {
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const references = foreignKeys.map((foreign) => {
    const { columns: from, foreignTable } = foreign.reference();
    return { column: columnName(from[0]!), table: getTableConfig(foreignTable).name };
  });
  return {
    name,
    columns: columns.map(columnName),
    key: key.map(columnName),
    required: columns.filter(({ notNull, hasDefault }) => notNull && !hasDefault).map(columnName),
    references,
  };
}
