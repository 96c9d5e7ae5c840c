import { is, type SQL } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Table, columns and constraints of a table, by their names in SQL. */
export interface TableShape {
  name: string;
  columns: string[];
  /** Columns of the primary key. */
  key: string[];
  /** Columns that must be given when a row is inserted, because they have no default and cannot be null. */
  required: string[];
  references: ForeignKey[];
  unique: UniqueIndex[];
}

/** Column that contains the id of a row in another table. */
export interface Reference {
  column: string;
  table: string;
  /** JSON property that contains the id, if the column contains a list of JSON objects. */
  member?: string;
}

export interface ForeignKey extends Reference {
  /**
   * What happens to the row when the referenced row is deleted. With `no action`, the referenced row cannot
   * be deleted.
   */
  onDelete: 'cascade' | 'set null' | 'no action';
}

/** Unique index other than the primary key. With `where`, only rows that meet the condition are indexed. */
export interface UniqueIndex {
  columns: string[];
  where: SQL | undefined;
}

/** Returns the name of a column in SQL. `src/db/client.ts` derives it from the name in TypeScript. */
export const getColumnName = ({ name }: Pick<SQLiteColumn, 'name'>) => toSnakeCase(name);

export function buildTableShape(table: SQLiteTable): TableShape {
  const { name, columns, primaryKeys, foreignKeys, indexes } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const references = foreignKeys.map((foreign): ForeignKey => {
    const { columns: from, foreignTable } = foreign.reference();
    const { onDelete } = foreign;
    return {
      column: getColumnName(from[0]!),
      table: getTableConfig(foreignTable).name,
      onDelete: onDelete === 'cascade' || onDelete === 'set null' ? onDelete : 'no action',
    };
  });
  const unique = indexes
    .filter(({ config }) => config.unique)
    .map(({ config }) => ({
      columns: config.columns.filter((column) => is(column, SQLiteColumn)).map(getColumnName),
      where: config.where,
    }));
  return {
    name,
    columns: columns.map(getColumnName),
    key: key.map(getColumnName),
    required: columns.filter(({ notNull, hasDefault }) => notNull && !hasDefault).map(getColumnName),
    references,
    unique,
  };
}
