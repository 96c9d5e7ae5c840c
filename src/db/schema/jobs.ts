import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

export const JOB_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Raw SQL text, so that SQLite recognises the condition of the partial indexes below in queries. */
export const isOpenJob = sql`status in ('PENDING', 'RUNNING')`;

/** Common columns of extract, classify and parse jobs. */
const job = () => ({
  id: id(),
  projectId: projectId(),
  userId: text().notNull(),
  status: text({ enum: JOB_STATUSES }).notNull().default('PENDING'),
  /** Input as the caller named it. Credentials in a URL are masked. */
  fileInput: text().notNull(),
  /** Sealed URL with credentials; null if the URL has no credentials, and after the download. */
  sealedInput: text(),
  documentInputType: text({ enum: ['file_id', 'parse_job_id', 'url'] }).notNull(),
  /** File of the job; null until a URL is downloaded, and for the pages of a parse job. */
  fileId: text(),
  configuration: json<Record<string, unknown>>().notNull(),
  configurationId: text(),
  webhookConfigurations: json<Record<string, unknown>[]>(),
  errorMessage: text(),
  attempt: integer().notNull().default(0),
  startedAt: moment(),
  finishedAt: moment(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const extractJobs = sqliteTable(
  'extract_jobs',
  {
    ...job(),
    parseJobId: text(),
    /** Small results. Large ones are in R2 under the job's key. */
    result: json<unknown>(),
    resultMetadata: json<Record<string, unknown>>(),
    pagesExtracted: integer(),
  },
  (table) => [
    index('extract_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('extract_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('extract_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('extract_jobs_by_file').on(table.fileId),
    index('extract_jobs_by_parse').on(table.parseJobId),
  ],
);

export const classifyJobs = sqliteTable(
  'classify_jobs',
  {
    ...job(),
    parseJobId: text(),
    transactionId: text(),
    /** Id of the first job of a group, without prefix. */
    groupId: text(),
    result: json<{ type: string | null; confidence: number; reasoning: string }>(),
  },
  (table) => [
    index('classify_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('classify_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('classify_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('classify_jobs_by_file').on(table.fileId),
    index('classify_jobs_by_parse').on(table.parseJobId),
    uniqueIndex('classify_jobs_by_transaction').on(table.projectId, table.transactionId),
    index('classify_jobs_by_group').on(table.groupId),
  ],
);

/** Delivery of results to a bucket: written objects, and the reason if some are missing. */
export interface Delivery {
  bucket: string;
  prefix: string;
  objects: { key: string; size_bytes: number; content_type: string }[];
  error: string | null;
}

export const parseJobs = sqliteTable(
  'parse_jobs',
  {
    ...job(),
    /** Keys of the parse in the bucket. */
    contentHash: text(),
    configHash: text(),
    pageCount: integer(),
    /** Metadata that the creator set. */
    userMetadata: json<Record<string, string>>(),
    /** Delivery to a bucket of the caller; null if none is requested or the job has not completed. */
    delivery: json<Delivery>(),
  },
  (table) => [
    index('parse_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('parse_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('parse_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('parse_jobs_by_file').on(table.fileId),
    index('parse_jobs_by_content').on(table.projectId, table.contentHash),
  ],
);

/** Saved configurations of all products, one row per version. */
export const configurations = sqliteTable(
  'configurations',
  {
    id: id(),
    projectId: projectId(),
    productType: text().notNull(),
    name: text().notNull(),
    version: text().notNull(),
    parameters: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('configurations_by_name').on(table.projectId, table.productType, table.name, table.version),
    index('configurations_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

/** Credits and pages, one row per finished job or indexed file. */
export const usageRecords = sqliteTable(
  'usage_records',
  {
    id: id(),
    projectId: projectId(),
    product: text().notNull(),
    jobId: text().notNull(),
    pages: integer().notNull(),
    credits: integer().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('usage_records_by_project').on(table.projectId, table.createdAt),
    uniqueIndex('usage_records_once').on(table.product, table.jobId),
  ],
);

export type Configuration = typeof configurations.$inferSelect;

export type ExtractJob = typeof extractJobs.$inferSelect;

export type ClassifyJob = typeof classifyJobs.$inferSelect;

export type ParseJob = typeof parseJobs.$inferSelect;
