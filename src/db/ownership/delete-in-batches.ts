import { sql } from 'drizzle-orm';
import type { Database } from '#src/db/client.ts';
import type { TableName } from './entry.ts';
import { OWNED_TABLES, whereOwnedBy } from './owned-tables.ts';

/**
 * Maximum number of rows per delete statement. An organization or project may have hundreds of thousands of
 * rows, and D1 aborts a query after 30 seconds.
 */
const ROWS_PER_DELETE = 5_000;

/**
 * Deletes the rows that belong to one organization, project or pipeline, from all tables whose `erase` is
 * `batches`. Tables that refer to others come first. The owner's own row is kept. An interrupted deletion can
 * be repeated.
 */
export async function deleteInBatches(db: Database, owner: TableName, id: string): Promise<void> {
  for (const table of OWNED_TABLES.toReversed()) {
    const own = table.erase === 'batches' ? whereOwnedBy(table, owner, id) : undefined;
    if (!own) continue;
    const name = sql.raw(table.name);
    const batch = sql`select rowid from ${name} where ${own} limit ${ROWS_PER_DELETE}`;
    for (;;) {
      const { meta } = await db.run(sql`delete from ${name} where rowid in (${batch})`);
      if (meta.changes === 0) break;
    }
  }
}
