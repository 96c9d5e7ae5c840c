import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type * as schema from '#src/db/schema/index.ts';

export type AnyTable = Extract<(typeof schema)[keyof typeof schema], SQLiteTable>;
/** Name of a database table in SQL. */
export type TableName = AnyTable['_']['name'];
type TableNamed<Name extends TableName> = Extract<AnyTable, { _: { name: Name } }>;
/** Name of a table column in TypeScript. */
type ColumnIn<Table extends AnyTable> = keyof Table['$inferSelect'] & string;

/** States in a sentence why a feature, such as backup or export, leaves a table out. */
interface Omitted {
  omittedBecause: string;
}

/**
 * Function in `src/services/backup/restore-rules.ts` that adapts rows of unfinished work when a backup is
 * restored.
 */
export type RestoreRule =
  | 'evaluationRun'
  | 'job'
  | 'pipelineDataSource'
  | 'pipelineMember'
  | 'syncRun'
  | 'webhookDelivery';

/** Column that contains ids of another table's rows without a foreign key. */
interface Mention {
  table: TableName;
  /** JSON property that contains the id, if the column contains a list of JSON objects. */
  member?: string;
}

export interface Backup {
  /** Whether a new installation already has rows in this table. Restoring a backup replaces them. */
  existsInNewInstallation?: true;
  /**
   * Which rows of this table a project's backup contains. By default, these are the rows that belong to the
   * project. `none` excludes all rows. With `referencedBy`, only rows are included whose id is in the named
   * column of the project's rows in one of these tables.
   */
  inProjectBackup?: 'none' | { referencedBy: TableName[]; column: string };
  restoreRule?: RestoreRule;
}

interface Export<Column> {
  /**
   * Name of the exported file, without `.ndjson`. Rows of a pipeline are exported to a file in the pipeline's
   * folder.
   */
  file: string;
  /** Position of the exported file in the archive. A new table takes the next free number. */
  position: number;
  /**
   * Columns that determine the order of exported rows. An index must begin with these columns, and together
   * they must identify a row.
   */
  sortedBy: readonly [Column, ...Column[]];
}

/**
 * Objects in the bucket, below `projects/<project id>/<folder>/`, that belong to rows of a table. Objects
 * without a row are orphaned.
 */
export interface OwnedObjects<Column = string> {
  /**
   * Column whose value follows the folder in an object's key. Values of columns other than `id` are unique
   * only within a project.
   */
  by: Column;
  /**
   * Columns that contain complete object keys. If given, an object belongs to a row only if one of these
   * columns contains its key.
   */
  keys?: readonly Column[];
}

/** Rules for one table that features such as backup, export and erasure follow. */
export interface Ownership<Table extends AnyTable = AnyTable, Column = ColumnIn<Table>> {
  table: Table;
  /**
   * Foreign keys to the organization, project or pipeline that own a row. A row belongs to all owners to
   * which the keys lead. If the list is empty, the rows belong to the installation.
   */
  owners: readonly Column[];
  /**
   * Columns with encrypted secrets. With `whole` the complete value is encrypted, and with `component` only
   * the secrets in its `component`. The table must have the columns `id` and `updatedAt`.
   */
  sealed?: 'id' | 'updatedAt' extends Column
    ? { readonly [Name in Column & string]?: 'whole' | 'component' }
    : never;
  /**
   * Name that replaces the table's name in the context to which encrypted secrets are bound. Secrets cannot
   * be decrypted in another context.
   */
  sealedUnder?: string;
  /** Objects in the bucket that belong to rows of the table, by folder. */
  objects?: Readonly<Record<string, OwnedObjects<Column>>>;
  mentions?: { readonly [Name in Column & string]?: Mention };
  backup: Backup | Omitted;
  /**
   * How a project's export includes the rows. If they are left out, the reason also names the code that
   * exports them instead.
   */
  export: Export<Column> | Omitted;
  /** Columns that exports leave out, because their values are only useful inside the service. */
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
