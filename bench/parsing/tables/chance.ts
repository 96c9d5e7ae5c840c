import { createHash } from 'node:crypto';

/** Chance that is the same for the same seed on every machine. */
export interface Choice {
  /** 0..1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  of<Value>(values: readonly Value[]): Value;
}

export function seeded(seed: string): Choice {
  let count = 0;
  const next = () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32;
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return { next, between, of: (values) => values[between(0, values.length - 1)]! };
}
