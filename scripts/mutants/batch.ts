import { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from 'vitest';

const state = () => (globalThis as unknown as { __mutants: { active: number } }).__mutants;

const MAX_TEST_MS = 10_000;
/**
 * Delay in milliseconds before a mutant is activated. During the delay, the result of the previous mutant is
 * reported, in case this mutant hangs.
 */
const REPORT_DELAY_MS = 150;
const after = setTimeout;

/**
 * Runs the tests that `load` defines with one mutant (inserted bug) active. After a failed test, the
 * remaining tests are skipped.
 */
export function runWithMutant(mutant: number, load: () => Promise<unknown>): void {
  vi.setConfig({ testTimeout: MAX_TEST_MS, hookTimeout: MAX_TEST_MS });
  describe(`mutant ${mutant}`, async () => {
    let hasFailed = false;
    beforeAll(async () => {
      await new Promise<void>((resolve) => after(resolve, REPORT_DELAY_MS));
      state().active = mutant;
    });
    beforeEach(({ skip }) => {
      if (hasFailed) skip();
    });
    afterEach(({ task }) => {
      hasFailed ||= task.result?.state === 'fail';
    });
    afterAll(() => {
      state().active = 0;
    });
    await load();
  });
}
