import { describe, expect, it } from 'vitest';
import { TimeBudget } from '#ocr/reading/time-budget.ts';

/** Creates a budget of 1,000 milliseconds with a clock that only `read` advances. */
function createBudget() {
  let now = 5_000;
  const budget = new TimeBudget(1_000, async () => now);
  const read = (pixels: number, milliseconds: number) =>
    budget.measure(pixels, async () => {
      now += milliseconds;
      return pixels;
    });
  return { budget, read };
}

describe('TimeBudget', () => {
  it('allows the first reading, however large it is', async () => {
    const { budget } = createBudget();
    expect(await budget.allows(1e12)).toBe(true);
    expect(budget.isExceeded).toBe(false);
  });

  it('returns what was read', async () => {
    expect(await createBudget().read(7, 10)).toBe(7);
  });

  it('allows readings that would end in time', async () => {
    const { budget, read } = createBudget();
    await read(100, 400);
    expect(await budget.allows(150)).toBe(true);
    expect(budget.isExceeded).toBe(false);
    expect(await budget.allows(151)).toBe(false);
    expect(budget.isExceeded).toBe(true);
  });

  it('allows nothing after its time has run out', async () => {
    const { budget, read } = createBudget();
    await read(100, 1_000);
    expect(await budget.allows(0)).toBe(false);
  });

  it('estimates by the largest reading and not by a slow sample', async () => {
    const { budget, read } = createBudget();
    await read(10, 100);
    await read(100, 200);
    await read(10, 100);
    expect(await budget.allows(300)).toBe(true);
    expect(await budget.allows(301)).toBe(false);
  });

  it('counts the time of a reading that failed', async () => {
    const { budget } = createBudget();
    let now = 0;
    const failing = new TimeBudget(1_000, async () => now);
    const reading = failing.measure(100, async () => {
      now += 900;
      throw new Error('out of memory');
    });
    await expect(reading).rejects.toThrow('out of memory');
    expect(await failing.allows(100)).toBe(false);
    expect(await budget.allows(100)).toBe(true);
  });
});
