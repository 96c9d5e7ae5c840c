import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type * as schema from '#src/db/schema/index.ts';

export type AnyTable = Extract<(typeof schema)[keyof typeof schema], SQLiteTable>;
/** Name of a table in SQL. */
export type TableName = AnyTable['_']['name'];
type TableNamed<Name extends TableName> = Extract<AnyTable, { _: { name: Name } }>;
/** Name of a column in TypeScript. */
type ColumnIn<Table extends AnyTable> = keyof Table['$inferSelect'] & string;

/** Reason why a feature omits the table, as a sentence. */
interface Omitted {
  omittedBecause: string;
}

/**
 * Name of the function in `src/services/backup/restore-rules.ts` that changes rows of unfinished work during
 * a restore.
 */
export type RestoreRule = 'job' | 'pipelineDataSource' | 'pipelineMember' | 'syncRun' | 'webhookDelivery';

/** Reference to a row of another table without a foreign key. */
interface Mention {
  table: TableName;
  /** Property with the id, if the column contains a JSON list of objects. */
  member?: string;
}

export interface Backup {
  /** Whether the table already has rows in a new installation. A restore replaces these rows. */
  existsInNewInstallation?: true;
  /**
   * Rows of this table in the backup of a project. If absent, the backup has the rows that belong to the
   * project. With `none` it has no rows. With `referencedBy` it has the rows whose id is in the named column
   * of one of the project's rows.
   */
  inProjectBackup?: 'none' | { referencedBy: TableName; column: string };
  restoreRule?: RestoreRule;
}

interface Export<Column> {
  /**
   * Name of the file, without `.ndjson`. If the rows belong to a pipeline, the file is in the pipeline's
   * folder.
   */
  file: string;
  /** Position of the file in the archive. A new table takes the next free number. */
  position: number;
  /** Columns by which rows are sorted. They are the first columns of an index and together identify a row. */
  sortedBy: readonly [Column, ...Column[]];
}

/**
 * Bucket objects below `projects/<project id>/<folder>/` that belong to rows of the table. Objects without a
 * row are orphans.
 */
export interface OwnedObjects<Column = string> {
  /**
   * Column whose value follows the folder in the object's key. Columns other than `id` are compared only
   * within the project.
   */
  by: Column;
  /**
   * Columns that contain complete keys. If given, an object belongs to a row only if one of these columns
   * holds its key.
   */
  keys?: readonly Column[];
}

/** Properties of a table that backup, export, erasure and other features for all tables use. */
export interface Ownership<Table extends AnyTable = AnyTable, Column = ColumnIn<Table>> {
  table: Table;
  /**
   * Foreign keys to the owners of a row. A row belongs to every organization, project and pipeline that these
   * keys lead to. If the list is empty, the rows belong to the installation.
   */
  owners: readonly Column[];
  /**
   * Columns with sealed secrets: either the `whole` value, or the `component` of a value with a `type`. The
   * table must have the columns `id` and `updatedAt`.
   */
  sealed?: 'id' | 'updatedAt' extends Column
    ? { readonly [Name in Column & string]?: 'whole' | 'component' }
    : never;
  /** First part of the place to which sealed secrets are bound. Defaults to the name of the table. */
  sealedUnder?: string;
  /** Bucket objects that belong to the rows, by folder. */
  objects?: Readonly<Record<string, OwnedObjects<Column>>>;
  mentions?: { readonly [Name in Column & string]?: Mention };
  backup: Backup | Omitted;
  /**
   * Export of the rows together with a project. If they are omitted, the reason also names the code that
   * exports them.
   */
  export: Export<Column> | Omitted;
  /** Columns that exports omit because their values are only useful to the service. */
  internal?: readonly Column[];
  /**
   * How rows are deleted together with their owner:
   * - `cascade`: the database deletes them with the owner's row.
   * - `batches`: they are deleted in batches before the owner's row, because an owner may have hundreds of
   * thousands.
   * - `service`: a service deletes each row, because related objects have to be removed too.
   * - `never`: the rows belong to the installation and are not deleted.
   */
  erase: 'cascade' | 'batches' | 'service' | 'never';
}

/** One entry for each table of the schema. A missing entry or an unknown column is a compile error. */
export type OwnershipTable = { readonly [Name in TableName]: Ownership<TableNamed<Name>> };
