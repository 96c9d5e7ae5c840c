import { is, type SQL } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** SQL names of a table and its columns. */
export interface Shape {
  name: string;
  columns: string[];
  /** Columns of the primary key, by which rows are read. */
  key: string[];
  /** Columns that require a value and have no default. */
  required: string[];
  references: ForeignKey[];
  unique: Unique[];
}

/** A column with the id of a row of another table. */
export interface Reference {
  column: string;
  table: string;
  /** Member that holds the id, if the column contains a JSON list of objects. */
  member?: string;
}

export interface ForeignKey extends Reference {
  /** Effect of deleting the referenced row. `no action` forbids the deletion. */
  onDelete: 'cascade' | 'set null' | 'no action';
}

/** A unique index besides the primary key. `where` limits the index to the rows for which it is true. */
export interface Unique {
  columns: string[];
  where: SQL | undefined;
}

/** Returns the name of a column in SQL, which `src/db/client.ts` derives from its name in TypeScript. */
export const columnName = ({ name }: Pick<SQLiteColumn, 'name'>) => toSnakeCase(name);

export function readShape(table: SQLiteTable): Shape {
  const { name, columns, primaryKeys, foreignKeys, indexes } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const references = foreignKeys.map((foreign): ForeignKey => {
    const { columns: from, foreignTable } = foreign.reference();
    const { onDelete } = foreign;
    return {
      column: columnName(from[0]!),
      table: getTableConfig(foreignTable).name,
      onDelete: onDelete === 'cascade' || onDelete === 'set null' ? onDelete : 'no action',
    };
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
