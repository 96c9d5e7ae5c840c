import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { getOwnerKeys, OWNED_TABLES, whereOwnedBy } from '#src/db/ownership/owned-tables.ts';
import type { Rows } from './rows.ts';

/** Returns a query for the rows of a table that belong to the project or pipeline `id`. */
type SelectRows = (id: string) => Rows;

/** Returns the row files in the folder of a project or of a pipeline, in the order of the archive. */
function listFiles(owner: 'projects' | 'pipelines'): ReadonlyMap<string, SelectRows> {
  const exported = OWNED_TABLES.flatMap((each) => {
    const isHere = getOwnerKeys(each).some((key) => key.table === owner);
    return isHere && !('omittedBecause' in each.export) ? [{ each, ...each.export }] : [];
  });
  const files = exported
    .toSorted((a, b) => a.position - b.position)
    .map(({ each, file, sortedBy: [first, ...others] }) => {
      const columns = getTableColumns(each.table as SQLiteTable);
      const key = [columns[first]!, ...others.map((name) => columns[name]!)] as const;
      const selectRows: SelectRows = (id) => ({
        table: each.table,
        where: whereOwnedBy(each, owner, id),
        key,
      });
      return [file, selectRows] as const;
    });
  return new Map(files);
}

/** Row files in a project's folder, by file name. */
export const PROJECT_FILES = listFiles('projects');
/** Row files in a pipeline's folder, by file name. */
export const PIPELINE_FILES = listFiles('pipelines');
