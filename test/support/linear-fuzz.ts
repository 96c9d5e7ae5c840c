import { inject } from 'vitest';
import type { Growth } from './growth.ts';
import { combineUnits, seededRandom } from './hostile-units.ts';

/** `LINEAR=all` runs every hostile text in every place; by default each place has a few, which `FUZZ_SEED` chooses. */
const runsAll = process.env.LINEAR === 'all';
const { seed, times } = inject('fuzz');

/** Hostile texts of one place or step when only a few run. */
const CHOSEN = 2;
/** Random combinations of one place or step when all run. */
const COMBINED = 20;

export const GROWTH: Growth = runsAll
  ? { from: 16_384, most: 2 ** 20, measurable: 120 }
  : { from: 16_384, most: 2 ** 18, measurable: 60 };

/** Returns the units, by name, that are repeated in one place or given to one step in this run. */
export function chooseUnits(units: Record<string, string>, place: string): [name: string, unit: string][] {
  const own = seed + [...place].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
  if (runsAll) return Object.entries({ ...units, ...combineUnits(units, COMBINED * times, own) });
  const random = seededRandom(own);
  const all = Object.entries(units);
  const chosen = Array.from({ length: Math.min(CHOSEN, all.length) }, () =>
    all.splice(Math.trunc(random() * all.length), 1).flat(),
  ) as [string, string][];
  return [...chosen, ...Object.entries(combineUnits(units, 1, own))];
}

/** Returns a text with ends that no run of the unit runs into. */
export const repeatUnit = (unit: string, length: number) =>
  `x${unit.repeat(Math.ceil(length / unit.length))}x`;
