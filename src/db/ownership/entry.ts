import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type * as schema from '#src/db/schema/index.ts';

/** Any table of the schema. */
export type AnyTable = Extract<(typeof schema)[keyof typeof schema], SQLiteTable>;
/** SQL name of a table. */
export type TableName = AnyTable['_']['name'];
type TableNamed<Name extends TableName> = Extract<AnyTable, { _: { name: Name } }>;
/** TypeScript name of a column. */
type ColumnIn<Table extends AnyTable> = keyof Table['$inferSelect'] & string;

/** Reason why a feature leaves a table out. */
interface LeftOut {
  leftOut: string;
}

/**
 * Name of the function in `src/services/backup/restored-as.ts` that changes rows of unfinished work on
 * restore.
 */
export type RestoreRule = 'job' | 'pipelineDataSource' | 'pipelineMember' | 'syncRun' | 'webhookDelivery';

/** Reference to a row of another table without a foreign key. */
interface Mention {
  table: TableName;
  /** Member that holds the id, if the column contains a JSON list of objects. */
  member?: string;
}

export interface Backup {
  /** Whether a new installation has rows in this table. A restore replaces them. */
  existsInNewInstallation?: true;
  /**
   * Rows in the backup of a project. Absent: the rows that belong to it. `none`: no rows. `namedBy`: rows
   * whose id is in that column of a row of the project.
   */
  inProjectBackup?: 'none' | { namedBy: TableName; column: string };
  restoredAs?: RestoreRule;
}

interface Export<Column> {
  /** Name of the file `<name>.ndjson`, which is in the pipeline's folder if rows belong to a pipeline. */
  file: string;
  /** Position of the file in the archive. A new table takes the next free number. */
  position: number;
  /** Columns of an index by which rows are read, up to one that makes them unique. */
  sortedBy: readonly [Column, ...Column[]];
}

/**
 * Objects below `projects/<project id>/<folder>/` that belong to a row. Objects without a row are orphans.
 */
export interface OwnedObjects<Column = string> {
  /**
   * Column with the part of the key after the folder. Columns other than `id` are compared within the
   * project.
   */
  by: Column;
  /** Columns with whole keys. If given, an object belongs to the row only if one of them holds its key. */
  keys?: readonly Column[];
}

/** Everything that features covering all tables need to know about a table. */
export interface Ownership<Table extends AnyTable = AnyTable, Column = ColumnIn<Table>> {
  table: Table;
  /**
   * Foreign keys to owning rows. A row belongs to every organization, project and pipeline to which they
   * lead. Empty: rows belong to the installation.
   */
  owners: readonly Column[];
  /**
   * Columns with sealed secrets: the `whole` value, or the `component` of a value with a `type`. Requires
   * `id` and `updatedAt`.
   */
  sealed?: 'id' | 'updatedAt' extends Column
    ? { readonly [Name in Column & string]?: 'whole' | 'component' }
    : never;
  /** First part of the place to which secrets are bound, if it is not the table's name. */
  sealedUnder?: string;
  /** Bucket objects of rows, by folder. */
  objects?: Readonly<Record<string, OwnedObjects<Column>>>;
  mentions?: { readonly [Name in Column & string]?: Mention };
  backup: Backup | LeftOut;
  /** Export of the rows with a project. `leftOut` also says which other code exports them. */
  export: Export<Column> | LeftOut;
  /** Columns that exports omit, because only the service can use their values. */
  internal?: readonly Column[];
  /**
   * How rows are deleted with their owner:
   * - `cascade`: the database deletes them with the owner's row;
   * - `batches`: they are deleted in batches before the owner's row, since an owner may have hundreds of thousands;
   * - `service`: a service deletes each row, because other things have to be removed with it;
   * - `never`: they belong to the installation and stay.
   */
  erase: 'cascade' | 'batches' | 'service' | 'never';
}

/** One entry per table of the schema. A missing entry or an unknown column does not compile. */
export type OwnershipTable = { readonly [Name in TableName]: Ownership<TableNamed<Name>> };
