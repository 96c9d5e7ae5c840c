/**
 * Abort reason of an answer that no reader waits for, because all readers disconnected or a client stopped
 * it. This is not a failure.
 */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
