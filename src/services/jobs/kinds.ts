import {
  type ClassifyJob,
  classifyJobs,
  type ExtractJob,
  extractJobs,
  type ParseJob,
  parseJobs,
  type SheetsJob,
  type SplitJob,
  sheetsJobs,
  splitJobs,
} from '#src/db/schema/index.ts';
import type { JobKind } from '#src/work/job-owner.ts';

export type Job = ExtractJob | ClassifyJob | SplitJob | SheetsJob | ParseJob;

const tables = {
  extract: extractJobs,
  classify: classifyJobs,
  split: splitJobs,
  sheets: sheetsJobs,
  parse: parseJobs,
} satisfies Record<JobKind, unknown>;

export const JOB_KINDS = ['extract', 'classify', 'split', 'sheets', 'parse'] as const satisfies JobKind[];

/**
 * Returns the table of a kind of job with the type of the parse job table. Use only columns that all kinds of
 * jobs have.
 */
export function getJobTable(kind: JobKind): typeof parseJobs {
  return tables[kind] as unknown as typeof parseJobs;
}

export const TABLE_NAME = {
  extract: 'extract_jobs',
  classify: 'classify_jobs',
  split: 'split_jobs',
  sheets: 'sheets_jobs',
  parse: 'parse_jobs',
} as const satisfies Record<JobKind, string>;

export const ID_PREFIX = {
  extract: 'ext',
  classify: 'cls',
  split: 'spl',
  sheets: 'sht',
  parse: 'pjb',
} as const satisfies Record<JobKind, string>;

const MINUTE = 60_000;

/**
 * Time limit of an attempt and maximum number of attempts. Cloudflare ends queue consumers after 15 minutes.
 */
export const ATTEMPT_LIMITS = {
  extract: { timeoutMs: 12 * MINUTE, attempts: 4 },
  classify: { timeoutMs: 10 * MINUTE, attempts: 4 },
  split: { timeoutMs: 12 * MINUTE, attempts: 4 },
  sheets: { timeoutMs: 12 * MINUTE, attempts: 4 },
  parse: { timeoutMs: 12 * MINUTE, attempts: 4 },
} as const satisfies Record<JobKind, { timeoutMs: number; attempts: number }>;

/** Returns the job id with its prefix. Callers may pass it with or without the prefix. */
export function toJobId(kind: JobKind, id: string): string {
  const text = id.toLowerCase();
  return text.startsWith(`${ID_PREFIX[kind]}-`) ? text : `${ID_PREFIX[kind]}-${text}`;
}
