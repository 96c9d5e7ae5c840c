/** Part of the code in which mutation tests insert bugs, to check that its tests notice them. */
export interface MutantRoom {
  /** Glob patterns of the source files in which bugs are inserted. A file belongs to at most one room. */
  files: readonly string[];
  /** Project of vitest.config.ts that contains the tests. */
  project: 'modules' | 'service';
  /**
   * Glob patterns of the test files. Slow tests are left out. A mutant is checked by the tests that reach its
   * code. Every test file runs at least once, so a room names only tests that exercise its rules.
   */
  tests: readonly string[];
}

/** Defines a room whose tests need no database, bucket, queues or Durable Objects. */
export const moduleRoom = (files: readonly string[], tests: readonly string[]): MutantRoom => ({
  files,
  project: 'modules',
  tests,
});

/** Defines a room whose tests run the service. These tests start more slowly than those of modules. */
export const serviceRoom = (files: readonly string[], tests: readonly string[]): MutantRoom => ({
  files,
  project: 'service',
  tests,
});
