import { is, type SQL } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** A table as SQL calls it. */
export interface Shape {
  name: string;
  columns: string[];
  /** The columns of its primary key: their order is the order in which its rows are read. */
  key: string[];
  /** Columns that a row cannot do without. */
  required: string[];
  references: Reference[];
  unique: Unique[];
}

/** A column that names a row of another table by its id. */
export interface Reference {
  column: string;
  table: string;
  /** The row stays when the other one is deleted, and names none from then on. */
  isSetNull?: boolean;
  /** The column is a list of objects in JSON, and this member of each is the id. */
  member?: string;
}

/** Columns that no two rows have alike, beside the primary key: of all rows, or of those that `where` is true of. */
export interface Unique {
  columns: string[];
  where: SQL | undefined;
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
  const { name, columns, primaryKeys, foreignKeys, indexes } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const references = foreignKeys.map((foreign) => {
    const { columns: from, foreignTable } = foreign.reference();
    const table = getTableConfig(foreignTable).name;
    return { column: columnName(from[0]!), table, isSetNull: foreign.onDelete === 'set null' };
  });
  const unique = indexes
    .filter(({ config }) => config.unique)
    .map(({ config }) => ({
      columns: config.columns.filter((column) => is(column, SQLiteColumn)).map(columnName),
      where: config.where,
    }));
  return {
    name,
    columns: columns.map(columnName),
    key: key.map(columnName),
    required: columns.filter(({ notNull, hasDefault }) => notNull && !hasDefault).map(columnName),
    references,
    unique,
  };
}
