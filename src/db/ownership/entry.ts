import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type * as schema from '#src/db/schema/index.ts';

/** Every table of the schema. */
export type AnyTable = Extract<(typeof schema)[keyof typeof schema], SQLiteTable>;
/** The name of a table in SQL. */
export type TableName = AnyTable['_']['name'];
type TableNamed<Name extends TableName> = Extract<AnyTable, { _: { name: Name } }>;
/** A column by its name in TypeScript. */
type ColumnIn<Table extends AnyTable> = keyof Table['$inferSelect'] & string;

/** Explains in one sentence why a feature leaves a table out. */
interface LeftOut {
  leftOut: string;
}

/** How a restore changes rows that describe unfinished work. `src/services/backup/restored-as.ts` has the functions. */
export type RestoreRule = 'job' | 'pipelineDataSource' | 'pipelineMember' | 'syncRun' | 'webhookDelivery';

/** The id of a row of another table, in a column without a foreign key. */
interface Mention {
  table: TableName;
  /** Set if the column holds a JSON list of objects: the member of each object that holds the id. */
  member?: string;
}

export interface Backup {
  /** A new installation has rows here. A restore replaces them. */
  existsInNewInstallation?: true;
  /**
   * Rows that the backup of one project holds. Absent: the rows that belong to the project. `none`: no rows.
   * `namedBy`: the rows whose id is in that column of a row that belongs to the project.
   */
  inProjectBackup?: 'none' | { namedBy: TableName; column: string };
  restoredAs?: RestoreRule;
}

interface Export<Column> {
  /** The file `<name>.ndjson`, in the folder of the pipeline if rows belong to a pipeline. */
  file: string;
  /** Position among the files of the archive. A new table takes the next free number. */
  position: number;
  /** Columns of an index, up to one that tells rows apart: rows are read in this order. */
  sortedBy: readonly [Column, ...Column[]];
}

/** Which objects below `projects/<project id>/<folder>/` belong to a row. An object that no row owns is an orphan. */
export interface OwnedObjects<Column = string> {
  /** Column whose value is the part of the key after the folder. Columns other than `id` are compared in the project. */
  by: Column;
  /** Columns with whole keys. If they are given, an object belongs to the row only if one of them holds its key. */
  keys?: readonly Column[];
}

/** What the features that go through all tables have to know about one of them. */
export interface Ownership<Table extends AnyTable = AnyTable, Column = ColumnIn<Table>> {
  table: Table;
  /**
   * Foreign keys to the rows that this row belongs to. A row belongs to everything that one of them leads to: an
   * organization, a project, a pipeline. Empty: rows belong to the installation.
   */
  owners: readonly Column[];
  /** Columns with sealed secrets: `whole` value, or the `component` of a value with a `type`. Needs `id` and `updatedAt`. */
  sealed?: 'id' | 'updatedAt' extends Column
    ? { readonly [Name in Column & string]?: 'whole' | 'component' }
    : never;
  /** The first part of the place that secrets are bound to, if it is not the name of the table. */
  sealedUnder?: string;
  /** Objects in the bucket that belong to rows, by folder. */
  objects?: Readonly<Record<string, OwnedObjects<Column>>>;
  mentions?: { readonly [Name in Column & string]?: Mention };
  backup: Backup | LeftOut;
  /** The export of a project. `leftOut` also says which other code exports the rows. */
  export: Export<Column> | LeftOut;
  /** Columns that exports do not show, because only the service can use their values. */
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

/** One entry for each table of the schema. A missing entry and an unknown column do not compile. */
export type OwnershipTable = { readonly [Name in TableName]: Ownership<TableNamed<Name>> };
