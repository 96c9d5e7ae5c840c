/**
 * Reason for stopping an answer that nobody waits for: its readers disconnected, or a client stopped it. This
 * is not a failure.
 */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
