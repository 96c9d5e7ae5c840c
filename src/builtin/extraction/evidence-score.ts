import type { Candidate as Scored } from './candidates.ts';
import { type Candidate, strength } from './evidence.ts';

/** A candidate with all its evidence in one figure, 0..1, as if it were its field's only one. */
export function scored(candidate: Candidate): Scored {
  return { ...candidate, score: 1 / (1 + Math.exp(-strength(candidate))) };
}
