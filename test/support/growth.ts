import { expect } from 'vitest';

export interface Growth {
  /** Length that is tried first. */
  from: number;
  /** Longest length that is tried while the work takes too little time to be measured. */
  most: number;
  /** Milliseconds of computing from which on two measurements can be compared. */
  measurable: number;
}

/**
 * Twice the length costs twice as much where work is linear, and four times as much where it is quadratic. The garbage
 * collector alone can make one doubling look quadratic, but not several in a row.
 */
const SUSPICIOUS = 2.7;
const DOUBLINGS = 3;

/**
 * Asserts that work grows no faster than its length. Doubles the length until the work takes measurable time, so that
 * a quadratic step with a small factor shows, too, and then until one doubling is clearly linear. Work that stays
 * immeasurable up to the longest length passes.
 */
export async function expectLinearGrowth(
  work: (length: number) => unknown,
  { from, most, measurable }: Growth,
): Promise<void> {
  const costs: { length: number; ms: number }[] = [];
  let suspicious = 0;
  for (let length = from; length <= most || suspicious > 0; length *= 2) {
    const ms = await measure(() => work(length));
    const before = costs.at(-1);
    costs.push({ length, ms });
    if (ms < measurable || !before) continue;
    if (ms < SUSPICIOUS * before.ms) return;
    suspicious += 1;
    if (suspicious < DOUBLINGS) continue;
    const told = costs.map((cost) => `${cost.length} characters: ${Math.round(cost.ms)} ms`).join(', ');
    expect.fail(`The work grows faster than its length. ${told}`);
  }
}

/** Milliseconds that this process computes: what other processes do meanwhile does not count. */
async function measure(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
