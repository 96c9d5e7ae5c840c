import { scheduler } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { column, HOSTILE_FORMULAS, withNumbers } from '#test/formats/shared/formulas/hostile-formulas.ts';
import { expectCost, expectLinear } from '#test/support/linear-time.ts';

// These tests measure CPU time. They run in Node because the clock of a Worker stands still while the Worker computes.

// Workers have this global object; Node exports it from a module.
beforeAll(() => void vi.stubGlobal('scheduler', scheduler));
afterAll(() => void vi.unstubAllGlobals());

it.each(HOSTILE_FORMULAS)('formula time grows linearly: $name', async (hostile) => {
  await expectLinear((count) => column(hostile.make(count), hostile.fills), hostile.size / 2);
});

it('functions take similar time for large and small numbers', async () => {
  const repeat = (formulas: string[]) => Array.from({ length: 500 }, () => formulas).flat();
  const [hostile, harmless] = [repeat(withNumbers('1E9', '1E12')), repeat(withNumbers('9', '12'))];
  await expectCost(
    () => column(hostile),
    () => column(harmless),
    10,
  );
  expect((await column(hostile)).notComputed).toEqual([]);
});
