/** Exit codes of `npm start`, named after sysexits.h where it has one that fits. */
export const EXIT = {
  ok: 0,
  /** The state folder holds data that this release cannot open. */
  badState: 65,
  /** The port is in use, or the service did not become healthy. */
  unavailable: 69,
  /** The runtime failed, or kept failing after it was restarted. */
  failure: 70,
  /** Another process uses the state folder. */
  stateInUse: 75,
  /** A setting is wrong. */
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
