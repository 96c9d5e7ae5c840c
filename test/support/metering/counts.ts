/**
 * Operations that the platform bills. `bench/cost/prices.ts` has a price for each operation that is not free.
 */
export type Billed =
  | 'Worker requests'
  | 'object requests'
  | 'object seconds'
  | 'object rows read'
  | 'object rows written'
  /** Depends on time rather than work, because isolates store their metrics every few seconds. */
  | 'metrics requests'
  | 'metrics rows written'
  | 'D1 statements'
  | 'D1 rows read'
  | 'D1 rows written'
  | 'queue operations'
  | 'R2 class A'
  | 'R2 class B'
  | 'R2 free'
  | 'R2 bytes written'
  | 'R2 bytes read'
  | 'calls of Workers';

export type Counts = Partial<Record<Billed, number>>;

let counts: Counts = {};

export function count(name: Billed, times = 1): void {
  counts[name] = (counts[name] ?? 0) + times;
}

/** Returns and resets the counts of this isolate. */
export function taken(): Counts {
  const told = counts;
  counts = {};
  return told;
}

export function sum(one: Counts, other: Counts): Counts {
  const both = { ...one };
  for (const [name, times] of Object.entries(other) as [Billed, number][])
    both[name] = (both[name] ?? 0) + times;
  return both;
}
