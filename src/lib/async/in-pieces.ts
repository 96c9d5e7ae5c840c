/**
 * Work that can be interrupted. It yields after each piece how much of a stretch the piece took: 1 is as much as other
 * requests should have to wait for.
 */
export type Pieces<Result> = Generator<number, Result>;

/** Does all the pieces without a pause. */
export function atOnce<Result>(pieces: Pieces<Result>): Result {
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

/** Does the pieces with a pause after each stretch. Rejects with what `pause` rejects with. */
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
