import { type SQL, sql } from 'drizzle-orm';
import type { AnyTable, Ownership, TableName } from './entry.ts';
import { columnName, readShape, type Shape } from './shape.ts';
import { OWNERSHIP } from './table.ts';

/** An entry of the ownership table with the shape of its table. */
export interface OwnedTable extends Ownership<AnyTable, string> {
  name: TableName;
  shape: Shape;
}

/** All tables, ordered so that referenced tables come first. */
export const OWNED_TABLES: readonly OwnedTable[] = Object.values<Ownership<AnyTable, string>>(OWNERSHIP).map(
  (entry) => {
    const shape = readShape(entry.table);
    return { ...entry, shape, name: shape.name as TableName };
  },
);

const byName = new Map<string, OwnedTable>(OWNED_TABLES.map((each) => [each.name, each]));

/** Throws if there is no such table, which is an error in the schema or in the ownership table. */
export function requireOwnedTable(name: string): OwnedTable {
  const found = byName.get(name);
  if (!found) throw new Error(`The table ${name} has no entry in src/db/ownership/table.ts`);
  return found;
}

/** Returns the foreign keys to the rows that a row belongs to. */
export function getOwnerKeys({ name, owners, shape }: OwnedTable): Shape['references'] {
  return owners.map((owner) => {
    const column = toColumn(owner);
    const reference = shape.references.find((each) => each.column === column);
    if (!reference) throw new Error(`${name}.${column} is no foreign key`);
    return reference;
  });
}

/**
 * Returns the condition that a row of `table` belongs to the row `id` of the table `owner`, directly or through other
 * owners. Returns `undefined` if rows of `table` never belong to rows of `owner`.
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
 * Returns the place to which the secrets of a row's column are bound. They cannot be opened anywhere else.
 */
export const sealedPlace = ({ name, sealedUnder }: OwnedTable, member: string, id: string) =>
  `${sealedUnder ?? name}/${id}/${toColumn(member)}`;

/** Returns the name of a column in SQL. */
export const toColumn = (member: string) => columnName({ name: member });
