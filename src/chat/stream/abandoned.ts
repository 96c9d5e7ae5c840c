/**
 * Reason for which an answer is stopped because nobody wants it any more: its readers left, or a client
 * stopped it. It is not a failure.
 */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
