import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

export const JOB_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/**
 * SQL condition for unfinished jobs. SQLite uses the partial indexes below only if a query contains exactly
 * the same text.
 */
export const isOpenJob = sql`status in ('PENDING', 'RUNNING')`;

/** Common columns of all kinds of jobs. */
const job = () => ({
  id: id(),
  projectId: projectId(),
  userId: text().notNull(),
  status: text({ enum: JOB_STATUSES }).notNull().default('PENDING'),
  /**
   * File id, parse job id or URL that the caller gave as the job's input. Credentials in a URL are masked.
   */
  fileInput: text().notNull(),
  /**
   * Encrypted URL of the job's input, if the URL contains credentials. Null for other inputs and after the
   * download.
   */
  sealedInput: text(),
  documentInputType: text({ enum: ['file_id', 'parse_job_id', 'url'] }).notNull(),
  /**
   * Id of the file that the job reads. Null until a URL is downloaded, and for jobs that read pages of a
   * parse job.
   */
  fileId: text(),
  configuration: json<Record<string, unknown>>().notNull(),
  configurationId: text(),
  /** Id of the batch that created the job. Null for jobs that were created one by one. */
  batchId: text(),
  webhookConfigurations: json<Record<string, unknown>[]>(),
  errorMessage: text(),
  attempt: integer().notNull().default(0),
  startedAt: timestamp(),
  finishedAt: timestamp(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const extractJobs = sqliteTable(
  'extract_jobs',
  {
    ...job(),
    parseJobId: text(),
    /** Result of the job, if small. Larger results are stored in R2 under the job's key. */
    result: json<unknown>(),
    resultMetadata: json<Record<string, unknown>>(),
    pagesExtracted: integer(),
    /** Lowest and mean confidence of the extracted values, from 0 to 1. Null if none were requested. */
    confidenceMin: real(),
    confidenceMean: real(),
    /** Ids of the jobs whose approved reviews are examples for the language model. */
    exampleJobIds: json<string[]>(),
  },
  (table) => [
    index('extract_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('extract_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('extract_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('extract_jobs_by_file').on(table.fileId),
    index('extract_jobs_by_batch').on(table.batchId).where(sql`batch_id is not null`),
    index('extract_jobs_by_parse').on(table.parseJobId),
  ],
);

export const classifyJobs = sqliteTable(
  'classify_jobs',
  {
    ...job(),
    parseJobId: text(),
    transactionId: text(),
    /** Id of the first job in a group of jobs, without its prefix. */
    groupId: text(),
    result: json<{ type: string | null; confidence: number; reasoning: string }>(),
  },
  (table) => [
    index('classify_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('classify_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('classify_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('classify_jobs_by_file').on(table.fileId),
    index('classify_jobs_by_batch').on(table.batchId).where(sql`batch_id is not null`),
    index('classify_jobs_by_parse').on(table.parseJobId),
    uniqueIndex('classify_jobs_by_transaction').on(table.projectId, table.transactionId),
    index('classify_jobs_by_group').on(table.groupId),
  ],
);

/** Part of a document that belongs to one category. */
export interface SplitSegment {
  category: string;
  /** Mean probability from 0 to 1 that the pages belong to the category. */
  confidence: number;
  /** Page numbers in ascending order, starting at 1. */
  pages: number[];
}

export const splitJobs = sqliteTable(
  'split_jobs',
  {
    ...job(),
    parseJobId: text(),
    result: json<{ segments: SplitSegment[] }>(),
  },
  (table) => [
    index('split_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('split_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('split_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('split_jobs_by_file').on(table.fileId),
    index('split_jobs_by_batch').on(table.batchId).where(sql`batch_id is not null`),
    index('split_jobs_by_parse').on(table.parseJobId),
  ],
);

/** Description of a region that a sheets job found. Its cells are stored in R2 under the job's key. */
export interface SheetRegion {
  id: string;
  sheetName: string;
  /** Range of the region's cells, such as `A1:D20`. */
  location: string;
  type: 'table' | 'extra';
  title: string | null;
  description: string | null;
}

export interface SheetsResult {
  regions: SheetRegion[];
  worksheets: { sheetName: string; title: string | null; description: string | null }[];
}

export const sheetsJobs = sqliteTable(
  'sheets_jobs',
  {
    ...job(),
    parseJobId: text(),
    result: json<SheetsResult>(),
  },
  (table) => [
    index('sheets_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('sheets_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('sheets_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('sheets_jobs_by_file').on(table.fileId),
    index('sheets_jobs_by_batch').on(table.batchId).where(sql`batch_id is not null`),
    index('sheets_jobs_by_parse').on(table.parseJobId),
  ],
);

/**
 * Delivery of a parse job's results to the caller's own bucket. It lists the written objects, and the error
 * if some are missing.
 */
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
    /**
     * Hash of the file's content. Together with `configHash`, it identifies the parse result in the table
     * `parses`.
     */
    contentHash: text(),
    configHash: text(),
    pageCount: integer(),
    /** Metadata that the creator attached to the job. */
    userMetadata: json<Record<string, string>>(),
    /**
     * Delivery of the results to the caller's own bucket. Null if none was requested, or until the job has
     * completed.
     */
    delivery: json<Delivery>(),
  },
  (table) => [
    index('parse_jobs_by_project').on(table.projectId, table.createdAt, table.id),
    index('parse_jobs_by_status').on(table.projectId, table.status, table.createdAt),
    index('parse_jobs_open').on(table.createdAt, table.id).where(isOpenJob),
    index('parse_jobs_by_file').on(table.fileId),
    index('parse_jobs_by_batch').on(table.batchId).where(sql`batch_id is not null`),
    index('parse_jobs_by_content').on(table.projectId, table.contentHash),
  ],
);

/** Saved configurations of extract, classify and parse jobs, with one row per version. */
export const configurations = sqliteTable(
  'configurations',
  {
    id: id(),
    projectId: projectId(),
    productType: text().notNull(),
    name: text().notNull(),
    version: text().notNull(),
    parameters: json<Record<string, unknown>>().notNull(),
    /** Version, creator and source that an older client of LlamaCloud gave to a parse configuration. */
    clientVersion: text(),
    creator: text(),
    sourceType: text(),
    sourceId: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('configurations_by_name').on(table.projectId, table.productType, table.name, table.version),
    index('configurations_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

/** Credits and pages that were used, with one row per finished job or indexed file. */
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

export type SplitJob = typeof splitJobs.$inferSelect;

export type SheetsJob = typeof sheetsJobs.$inferSelect;

export type ParseJob = typeof parseJobs.$inferSelect;
