import { type SQL, sql } from 'drizzle-orm';
import type { Backup, OwnedObjects } from '#src/db/ownership/entry.ts';
import {
  OWNED_TABLES,
  type OwnedTable,
  requireOwnedTable,
  toColumn,
  whereOwnedBy,
} from '#src/db/ownership/owned-tables.ts';
import type { Reference, Shape } from '#src/db/ownership/shape.ts';
import { type Row, restoredAs } from './restored-as.ts';

/** A table whose rows a backup holds. */
export interface BackupTable {
  shape: Shape;
  /**
   * Condition that selects a project's rows. Absent if only backups of the installation contain the table.
   */
  within?: (projectId: string) => SQL;
  /** Columns that hold ids of other rows without a foreign key. */
  mentions: Reference[];
  /** Columns that hold keys of objects in the bucket. */
  places: string[];
  existsInNewInstallation: boolean;
  /** Changes a row that describes unfinished work. */
  restored?: (row: Row, isHeld: boolean) => Row;
}

/** All tables of a backup, ordered so that referenced tables come first. */
export const BACKUP_TABLES: readonly BackupTable[] = OWNED_TABLES.flatMap((table): BackupTable[] => {
  const { backup, shape } = table;
  if ('leftOut' in backup) return [];
  const within = readProjectCondition(table, backup.inProjectBackup);
  return [
    {
      shape,
      ...(within && { within }),
      mentions: Object.entries(table.mentions ?? {}).flatMap(([member, mention]) =>
        mention ? [{ column: toColumn(member), ...mention }] : [],
      ),
      places: Object.values<OwnedObjects>(table.objects ?? {}).flatMap(({ keys = [] }) => keys.map(toColumn)),
      existsInNewInstallation: backup.existsInNewInstallation ?? false,
      ...(backup.restoredAs && { restored: restoredAs[backup.restoredAs] }),
    },
  ];
});

function readProjectCondition(table: OwnedTable, rows: Backup['inProjectBackup']): BackupTable['within'] {
  if (rows === 'none') return undefined;
  if (!rows) return whereOwnedBy(table, 'projects', '') && ((id) => whereOwnedBy(table, 'projects', id)!);
  const holder = requireOwnedTable(rows.namedBy);
  return (id) =>
    sql`id in (select ${sql.raw(rows.column)} from ${sql.raw(rows.namedBy)}
      where ${whereOwnedBy(holder, 'projects', id)})`;
}

const byName = new Map(BACKUP_TABLES.map((each) => [each.shape.name, each]));
export const BACKUP_TABLE_NAMES = [...byName.keys()] as [string, ...string[]];

/** Returns a table of the backup of `project` (null: of the installation), or `undefined` if it does not have the table. */
export function findBackupTable(name: string, project: string | null): BackupTable | undefined {
  const found = byName.get(name);
  return project === null || found?.within ? found : undefined;
}

export const listBackupTables = (project: string | null) =>
  BACKUP_TABLES.filter((each) => project === null || each.within);
