/**
 * Work that can pause between pieces. After each piece, the generator yields the fraction of a time slice
 * that the piece took. A full slice (1) is the longest time that other requests should wait.
 */
export type Pieces<Result> = Generator<number, Result>;

/** Runs all pieces of the work without pausing. */
export function atOnce<Result>(pieces: Pieces<Result>): Result {
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

/** Runs the pieces of the work and pauses after each time slice. Rejects if `pause` rejects. */
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
