import { type SQL, sql } from 'drizzle-orm';
import type { AnyTable, Ownership, TableName } from './entry.ts';
import { buildTableShape, getColumnName, type TableShape } from './shape.ts';
import { OWNERSHIP } from './table.ts';

/** Ownership rules of a table, with the table's name and columns. */
export interface OwnedTable extends Ownership<AnyTable, string> {
  name: TableName;
  shape: TableShape;
}

/** Ownership rules of all tables. A table comes before the tables that refer to it. */
export const OWNED_TABLES: readonly OwnedTable[] = Object.values<Ownership<AnyTable, string>>(OWNERSHIP).map(
  (entry) => {
    const shape = buildTableShape(entry.table);
    return { ...entry, shape, name: shape.name as TableName };
  },
);

const byName = new Map<string, OwnedTable>(OWNED_TABLES.map((each) => [each.name, each]));

/**
 * Returns the ownership rules of a table. Throws if src/db/ownership/table.ts has no entry for the table,
 * which is a programming error.
 */
export function requireOwnedTable(name: string): OwnedTable {
  const found = byName.get(name);
  if (!found) throw new Error(`The table ${name} has no entry in src/db/ownership/table.ts`);
  return found;
}

/** Returns a table's foreign keys to the organization, project or pipeline that own a row. */
export function getOwnerKeys({ name, owners, shape }: OwnedTable): TableShape['references'] {
  return owners.map((owner) => {
    const column = toColumnName(owner);
    const reference = shape.references.find((each) => each.column === column);
    if (!reference) throw new Error(`${name}.${column} is no foreign key`);
    return reference;
  });
}

/**
 * Returns the SQL condition that a row of `table` belongs to the row `id` of the table `owner`. Ownership may
 * be direct or through other tables. Returns `undefined` if `owner` never owns rows of `table`.
 */
export function whereOwnedBy(table: OwnedTable, owner: TableName, id: string): SQL | undefined {
  if (table.name === owner) return sql`id = ${id}`;
  const conditions = getOwnerKeys(table).flatMap((key) => {
    const column = sql.raw(key.column);
    if (key.table === owner) return [sql`${column} = ${id}`];
    const above = whereOwnedBy(requireOwnedTable(key.table), owner, id);
    return above ? [sql`${column} in (select id from ${sql.raw(key.table)} where ${above})`] : [];
  });
  return conditions.length > 1 ? sql`(${sql.join(conditions, sql` or `)})` : conditions[0];
}

/**
 * Returns the context to which encrypted secrets of a column and row are bound. If they are copied elsewhere,
 * they cannot be decrypted.
 */
export const getSealedPlace = ({ name, sealedUnder }: OwnedTable, member: string, id: string) =>
  `${sealedUnder ?? name}/${id}/${toColumnName(member)}`;

/** Returns the name of a column in SQL, given its name in TypeScript. */
export const toColumnName = (member: string) => getColumnName({ name: member });
