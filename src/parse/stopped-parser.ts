/** Reason why a supervisor stopped a parser process during a call. */
export type StopReason = 'silent' | 'deadline' | 'memory' | 'abandoned' | 'crashed';

/**
 * Start of the error message of a call whose parser process was stopped because it did not return in time.
 */
export const PARSER_STUCK = 'the parser got stuck';
