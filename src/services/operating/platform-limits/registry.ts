import type { PlatformLimit } from './limit.ts';

const CLOUDFLARE = 'https://developers.cloudflare.com';
const DAY_S = 86_400;

/**
 * Limits of Cloudflare, looked up on 2026-11-29. R2 buckets, numbers of rows, and the number of Durable Objects
 * are unlimited, so they have no entry. docs/reference/platform-limits.md lists the entries.
 */
export const CLOUDFLARE_LIMITS = {
  database_size: {
    title: 'Size of the D1 database',
    unit: 'bytes',
    value: 10_000_000_000,
    source: `${CLOUDFLARE}/d1/platform/limits/`,
    measured: 'D1 reports its size with each answer',
    advice:
      'Shorten the retention of jobs and traces, set DOCUMENT_ROW_CHARACTERS to 0, or deploy a second installation.',
  },
  table_columns: {
    title: 'Columns of a table in D1',
    unit: 'items',
    value: 100,
    source: `${CLOUDFLARE}/d1/platform/limits/`,
    measured: 'the columns of each table are counted',
    advice: 'A later release of Sluice may need more columns. Report this.',
  },
  shard_storage: {
    title: 'Storage of a shard',
    unit: 'bytes',
    value: 10_000_000_000,
    source: `${CLOUDFLARE}/durable-objects/platform/limits/`,
    measured: 'the first and the open shard of the 10 largest indexes report the size of their databases',
    advice: 'Use shorter chunks in this pipeline, or split it into several.',
  },
  index_shards: {
    title: 'Shards of an index, whose answers a query holds in the 128 MB of an isolate',
    unit: 'items',
    // A shard answers a hybrid query with up to 264,826 bytes, if chunks have the default size.
    value: 483,
    source: `${CLOUDFLARE}/workers/platform/limits/`,
    measured: 'the database knows the number of shards of each index',
    advice: 'Split the pipeline by subject or client, or use shorter chunks.',
  },
  queue_backlog: {
    title: 'Backlog of a queue',
    unit: 'bytes',
    value: 25_000_000_000,
    source: `${CLOUDFLARE}/queues/platform/limits/`,
    measured:
      'open syncs, jobs and deliveries are counted at 1,000 bytes for each message, which is an upper bound',
    advice: 'Raise max_concurrency of the consumers in wrangler.toml, or start fewer jobs.',
  },
  queue_retention: {
    title: 'Age of the oldest waiting work, whose queue message expires',
    unit: 'seconds',
    value: 4 * DAY_S,
    source: `${CLOUDFLARE}/queues/platform/limits/`,
    measured: 'the database knows when open syncs, jobs and deliveries were created',
    advice: 'Find out why the work waits with npm run doctor -- --check jobs --check syncs.',
  },
  vectorize_vectors: {
    title: 'Vectors in a Vectorize index',
    unit: 'items',
    value: 10_000_000,
    source: `${CLOUDFLARE}/vectorize/platform/limits/`,
    measured: 'each bound index is described',
    advice: 'Remove the binding. The managed index answers without Vectorize.',
  },
  variables: {
    title: 'Environment variables and secrets of the Worker',
    unit: 'items',
    value: 128,
    source: `${CLOUDFLARE}/workers/platform/limits/`,
    measured: 'the bindings that are texts are counted',
    advice: 'Remove variables that are no longer used.',
  },
  variable_size: {
    title: 'Size of an environment variable or secret',
    unit: 'bytes',
    value: 5_000,
    source: `${CLOUDFLARE}/workers/platform/limits/`,
    measured: 'the length of each text binding is measured',
    advice: 'Shorten the list of models or identity providers in this variable.',
  },
} as const satisfies Record<string, PlatformLimit>;

export type CloudflareLimitName = keyof typeof CLOUDFLARE_LIMITS;

/** Limits that a single machine shares with an installation on Cloudflare, because the code sets them. */
export const SHARED_LIMITS: readonly CloudflareLimitName[] = ['index_shards'];

/** Limits of one machine. `npm run doctor` measures them if the service runs on the same machine. */
export const MACHINE_LIMITS = {
  disk_space: {
    title: 'Disk of the state folder',
    unit: 'bytes',
    value: null,
    source: 'statfs(2)',
    measured: 'the file system of the state folder reports its size and its free space',
    advice: 'Delete data and run npm run compact, or move the state folder to a larger disk.',
  },
  compaction_space: {
    title: 'Free disk space that npm run compact needs for the largest database',
    unit: 'bytes',
    value: null,
    source: 'https://www.sqlite.org/lang_vacuum.html',
    measured: 'the size of the largest SQLite file is compared with the free space',
    advice: 'Free disk space now, because deleted data can otherwise not be removed from this file.',
  },
  sqlite_size: {
    title: 'Size of an SQLite file with pages of 4,096 bytes',
    unit: 'bytes',
    value: 17_592_186_032_128,
    source: 'https://www.sqlite.org/limits.html',
    measured: 'the size of the largest SQLite file of the state folder is read',
    advice: 'Run a second installation for further documents.',
  },
  memory: {
    title: 'Memory of the machine or container',
    unit: 'bytes',
    value: null,
    source: 'proc(5)',
    measured: 'the kernel reports the total and the available memory, and a container its limit',
    advice: 'Lower SEARCH_MEMORY_MIB and PARSER_PROCESSES, or add memory.',
  },
  file_handles: {
    title: 'Open files of a process of Sluice',
    unit: 'items',
    value: null,
    source: 'getrlimit(2)',
    measured: 'the open files of each process of the state folder are counted',
    advice: 'Raise the limit of open files (ulimit -n, or LimitNOFILE of the service).',
  },
} as const satisfies Record<string, PlatformLimit>;

export type MachineLimitName = keyof typeof MACHINE_LIMITS;
