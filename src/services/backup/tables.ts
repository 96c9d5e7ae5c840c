import { type SQL, sql } from 'drizzle-orm';
import type { Backup, OwnedObjects } from '#src/db/ownership/entry.ts';
import {
  OWNED_TABLES,
  type OwnedTable,
  requireOwnedTable,
  toColumnName,
  whereOwnedBy,
} from '#src/db/ownership/owned-tables.ts';
import type { Reference, TableShape } from '#src/db/ownership/shape.ts';
import { RESTORE_RULES, type Row } from './restore-rules.ts';

/** Table whose rows are part of backups. */
export interface BackupTable {
  shape: TableShape;
  /**
   * Condition that selects the rows of a project. Absent if backups of a single project do not contain the
   * table.
   */
  within?: (projectId: string) => SQL;
  /** Columns that contain ids of other rows without being foreign keys. */
  mentions: Reference[];
  keyColumns: string[];
  existsInNewInstallation: boolean;
  /** Resets a row of unfinished work when it is restored. Absent if rows are restored unchanged. */
  restoreRow?: (row: Row, isHeld: boolean) => Row;
}

/** All tables in backups. Referenced tables come before the tables that refer to them. */
export const BACKUP_TABLES: readonly BackupTable[] = OWNED_TABLES.flatMap((table): BackupTable[] => {
  const { backup, shape } = table;
  if ('omittedBecause' in backup) return [];
  const within = buildProjectCondition(table, backup.inProjectBackup);
  return [
    {
      shape,
      ...(within && { within }),
      mentions: Object.entries(table.mentions ?? {}).flatMap(([member, mention]) =>
        mention ? [{ column: toColumnName(member), ...mention }] : [],
      ),
      keyColumns: Object.values<OwnedObjects>(table.objects ?? {}).flatMap(({ keys = [] }) =>
        keys.map(toColumnName),
      ),
      existsInNewInstallation: backup.existsInNewInstallation ?? false,
      ...(backup.restoreRule && { restoreRow: RESTORE_RULES[backup.restoreRule] }),
    },
  ];
});

function buildProjectCondition(table: OwnedTable, rows: Backup['inProjectBackup']): BackupTable['within'] {
  if (rows === 'none') return undefined;
  if (!rows) return whereOwnedBy(table, 'projects', '') && ((id) => whereOwnedBy(table, 'projects', id)!);
  return (id) => {
    const selections = rows.referencedBy.map(
      (name) => sql`select ${sql.raw(rows.column)} from ${sql.raw(name)}
        where ${whereOwnedBy(requireOwnedTable(name), 'projects', id)}`,
    );
    return sql`id in (${sql.join(selections, sql` union `)})`;
  };
}

const byName = new Map(BACKUP_TABLES.map((each) => [each.shape.name, each]));
export const BACKUP_TABLE_NAMES = [...byName.keys()] as [string, ...string[]];

/**
 * Returns a table in the backup of a project, or of the installation if `project` is null. Returns
 * `undefined` if the backup does not contain the table.
 */
export function findBackupTable(name: string, project: string | null): BackupTable | undefined {
  const found = byName.get(name);
  return project === null || found?.within ? found : undefined;
}

export const listBackupTables = (project: string | null) =>
  BACKUP_TABLES.filter((each) => project === null || each.within);
