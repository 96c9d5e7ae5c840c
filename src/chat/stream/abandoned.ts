/** Thrown when an answer is stopped because nobody reads it. It is not a failure. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
