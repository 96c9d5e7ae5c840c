/**
 * Interruptible work. After each piece it yields the piece's share of a time slice; 1 is as long as other
 * requests should wait.
 */
export type Pieces<Result> = Generator<number, Result>;

/** Runs all pieces without pausing. */
export function atOnce<Result>(pieces: Pieces<Result>): Result {
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

/** Runs the pieces and pauses after each time slice. Rejects if `pause` rejects. */
export async function withPauses<Result>(
  pieces: Pieces<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  let taken = 0;
  let piece = pieces.next();
  while (!piece.done) {
    taken += piece.value;
    if (taken >= 1) {
      taken = 0;
      await pause();
    }
    piece = pieces.next();
  }
  return piece.value;
}
