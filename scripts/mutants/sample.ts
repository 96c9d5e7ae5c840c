import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isEquivalent } from './equivalents.ts';
import { findMutants, type Mutant } from './schemata.ts';

export type Numbered = Mutant & { id: number };

export interface Ranked {
  mutant: Mutant;
  /** Hash of the seed and the mutant. The mutants with the lowest ranks are drawn first. */
  rank: string;
}

/**
 * Lists the mutants of source files by rank. The rank depends only on the seed and the mutant, so changing a
 * line of a file does not affect which other mutants are drawn.
 */
export function rankMutants(files: readonly string[], seed: string): Ranked[] {
  const mutants = files.flatMap((file) => findMutants(file, readFileSync(file, 'utf8')));
  const seen = new Map<string, number>();
  return mutants
    .filter((mutant) => !isEquivalent(mutant))
    .map((mutant) => {
      const name = [seed, mutant.file, mutant.kind, mutant.original, mutant.replacement].join('\0');
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      return { mutant, rank: createHash('sha256').update(`${name}\0${times}`).digest('hex') };
    })
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
}

/**
 * Draws at most `maxTotal` mutants from the ranked mutants of several rooms. Each round takes the next mutant
 * of every room, so that the rooms get equally many as long as they have some left.
 */
export function spreadOverRooms(
  ranked: ReadonlyMap<string, Ranked[]>,
  maxTotal: number,
): Map<string, Ranked[]> {
  const drawn = new Map<string, Ranked[]>();
  const rounds = Math.max(0, ...[...ranked.values()].map((list) => list.length));
  let left = maxTotal;
  for (let round = 0; round < rounds && left > 0; round++) {
    const candidates = [...ranked]
      .flatMap(([room, list]) => list.slice(round, round + 1).map((next) => ({ room, next })))
      .toSorted((a, b) => (a.next.rank < b.next.rank ? -1 : 1))
      .slice(0, left);
    for (const { room, next } of candidates) drawn.set(room, [...(drawn.get(room) ?? []), next]);
    left -= candidates.length;
  }
  return drawn;
}

/** Numbers drawn mutants from 1, in the order of their files and lines. */
export const numberMutants = (ranked: readonly Ranked[]): Numbered[] =>
  ranked
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1))
    .map((mutant, at) => ({ ...mutant, id: at + 1 }));
