import { createHash } from 'node:crypto';

/** Random choices that are the same for the same seed on every machine. */
export interface Choice {
  /** Returns a number from 0 to 1, without 1. */
  next(): number;
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  of<Value>(values: readonly Value[]): Value;
}

export function createChoice(seed: string): Choice {
  let count = 0;
  const next = () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32;
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return { next, between, of: (values) => values[between(0, values.length - 1)]! };
}
