import type { Candidate as Scored } from './candidates.ts';
import { type Candidate, probabilities } from './evidence.ts';
import { FITTED } from './weights.ts';

/** A candidate with all its evidence in one figure, 0..1, as if it were its field's only one. */
export function scored(candidate: Candidate): Scored {
  return { ...candidate, score: probabilities([candidate], FITTED)[0]! };
}
