import { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from 'vitest';

const state = () => (globalThis as unknown as { __mutants: { active: number } }).__mutants;

const LONGEST_TEST_MS = 10_000;
/** Results are sent on after at most so long; a mutant that hangs must not keep the one before it from being told. */
const UNTIL_TOLD_MS = 150;
const after = setTimeout;

/** The tests that `load` brings, with this mutant awake while they run; none is made after one that fails. */
export function withMutant(mutant: number, load: () => Promise<unknown>): void {
  vi.setConfig({ testTimeout: LONGEST_TEST_MS, hookTimeout: LONGEST_TEST_MS });
  describe(`mutant ${mutant}`, async () => {
    let hasFailed = false;
    beforeAll(async () => {
      await new Promise<void>((resolve) => after(resolve, UNTIL_TOLD_MS));
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
