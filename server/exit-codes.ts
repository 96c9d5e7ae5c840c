/** Exit codes of `npm start`. They follow sysexits.h where a code fits. */
export const EXIT = {
  ok: 0,
  /** Exit code if the state folder contains data that this release cannot open. */
  badState: 65,
  unavailable: 69,
  /** Exit code if the runtime failed, or kept failing after restarts. */
  failure: 70,
  stateInUse: 75,
  badConfiguration: 78,
} as const;

/** Ends the server with a message for the operator instead of a stack trace. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
