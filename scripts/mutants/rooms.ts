/** Part of the code in which mutation tests insert bugs, to check that its tests notice them. */
export interface MutantRoom {
  /** Glob patterns of the source files in which bugs are inserted. */
  files: readonly string[];
  /** Project of vitest.config.ts that contains the tests. */
  project: 'modules' | 'service';
  /** Glob patterns of the test files. A mutant is checked by the tests that reach its code. */
  tests: readonly string[];
}

export const MUTANT_ROOMS = {
  permissions: {
    files: ['src/services/tenancy/*.ts', 'src/services/organizations/*.ts'],
    project: 'service',
    tests: [
      'test/api/auth.test.ts',
      'test/api/scope.test.ts',
      'test/api/organizations.test.ts',
      'test/api/projects.test.ts',
      'test/api/rate-limits.test.ts',
      'test/services/tenancy/*.test.ts',
      'test/services/organizations/*.test.ts',
    ],
  },
  secrets: {
    files: ['src/services/secrets/*.ts'],
    project: 'service',
    tests: ['test/services/secrets/*.test.ts', 'test/api/secrets.test.ts'],
  },
  'address guard': {
    files: ['src/upstream/address-guard.ts', 'src/upstream/address-guard.ts'],
    project: 'modules',
    tests: ['test/upstream/address*.test.ts'],
  },
  claims: {
    files: [
      'src/work/*.ts',
      'durable-objects/sync/run-ledger.ts',
      'durable-objects/sync-*.ts',
      'durable-objects/search-shard/chunks/versions.ts',
    ],
    project: 'service',
    tests: [
      'test/work/*.test.ts',
      'test/durable-objects/pipeline-sync*.test.ts',
      'test/durable-objects/sync/sync-schedule.test.ts',
      'test/durable-objects/search-shard.test.ts',
      'test/durable-objects/sync/run-ledger.test.ts',
    ],
  },
  filters: {
    files: ['src/search/filters.ts'],
    project: 'modules',
    tests: ['test/search/filters.test.ts'],
  },
  'filters of a shard': {
    files: ['durable-objects/search-shard/filter-*.ts'],
    project: 'service',
    tests: ['test/durable-objects/search-shard-filters.test.ts'],
  },
  ranking: {
    files: [
      'src/search/bm25.ts',
      'src/search/term-weights.ts',
      'src/search/fusion.ts',
      'src/search/fan-out.ts',
    ],
    project: 'modules',
    tests: ['test/search/*.test.ts'],
  },
  retrieval: {
    files: ['src/retrieval/**/*.ts'],
    project: 'modules',
    tests: ['test/retrieval/*.test.ts'],
  },
  webhooks: {
    files: ['src/webhook-protocol/*.ts'],
    project: 'modules',
    tests: ['test/webhook-protocol/*.test.ts'],
  },
  'webhook deliveries': {
    files: ['src/services/webhooks/*.ts'],
    project: 'service',
    tests: ['test/services/webhooks/*.test.ts', 'test/api/webhook*.test.ts'],
  },
  fingerprints: {
    files: ['src/services/sync/difference.ts'],
    project: 'service',
    tests: ['test/services/sync/difference.test.ts'],
  },
  citations: {
    files: [
      'src/extraction/citations.ts',
      'src/extraction/word-edge-index.ts',
      'src/extraction/check-evidence.ts',
      'src/chat/citations.ts',
    ],
    project: 'modules',
    tests: ['test/extraction/*.test.ts', 'test/chat/*.test.ts', 'test/builtin/extraction/*.test.ts'],
  },
  chunking: {
    files: ['src/ingest/chunking/**/*.ts'],
    project: 'modules',
    tests: ['test/ingest/**/*.test.ts'],
  },
  tables: {
    files: ['src/formats/pdf/tables/tables.ts', 'src/formats/pdf/text/columns.ts'],
    project: 'modules',
    tests: [
      'test/formats/pdf/tables/tables.test.ts',
      'test/formats/pdf/text/columns.test.ts',
      'test/formats/pdf/ruled-tables.test.ts',
      'test/formats/pdf/reading-order.test.ts',
    ],
  },
} as const satisfies Record<string, MutantRoom>;

export type RoomName = keyof typeof MUTANT_ROOMS;
