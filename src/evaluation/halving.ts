/** Minimum number of questions by which candidates are compared. Fewer would decide mostly by chance. */
const MIN_QUESTIONS = 10;

/** The budget does not suffice for one comparison of all candidates. */
export class BudgetTooSmall extends Error {
  /** Smallest number of searches that suffices. */
  readonly least: number;

  constructor(least: number, candidates: number) {
    super(`The budget must be at least ${least} searches for ${candidates} candidates.`);
    this.least = least;
  }
}

/**
 * Plans successive halving: in each round all remaining candidates are measured, the better half goes on, and the share
 * of questions doubles, so that every round costs about the same. Returns the share of the development questions of
 * each round. The last round uses all of them if the budget, in searches, suffices.
 *
 * K. Jamieson, A. Talwalkar: Non-stochastic Best Arm Identification and Hyperparameter Optimization, AISTATS 2016.
 */
export function planShares(candidates: number, questions: number, budget: number): number[] {
  const rounds = Math.max(1, Math.ceil(Math.log2(candidates)));
  const sizes = Array.from({ length: rounds }, (_, round) => countRemaining(candidates, round));
  const least = Math.min(1, MIN_QUESTIONS / questions);
  const shares = (last: number) => sizes.map((_, round) => Math.max(least, last / 2 ** (rounds - 1 - round)));
  const cost = (last: number) =>
    shares(last).reduce((sum, share, round) => sum + Math.ceil(share * questions) * sizes[round]!, 0);
  for (let last = 1; last > least; last *= 0.9) if (cost(last) <= budget) return shares(last);
  if (cost(least) > budget) throw new BudgetTooSmall(cost(least), candidates);
  return shares(least);
}

/** Number of candidates that remain after some rounds of halving. */
export const countRemaining = (candidates: number, rounds: number): number =>
  Math.max(1, Math.ceil(candidates / 2 ** rounds));

/** Returns the better half of the candidates, best first. Equal candidates keep their order. */
export function keepBetterHalf<Candidate>(
  measured: readonly { candidate: Candidate; value: number }[],
  isLowerBetter: boolean,
): Candidate[] {
  const sign = isLowerBetter ? 1 : -1;
  return measured
    .toSorted((a, b) => sign * (a.value - b.value))
    .slice(0, countRemaining(measured.length, 1))
    .map(({ candidate }) => candidate);
}
