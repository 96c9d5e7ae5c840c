/** Reason why a supervisor stopped a parser process during a call. */
export type StopReason = 'silent' | 'deadline' | 'memory' | 'abandoned' | 'crashed';

/** First words of the error of a call whose parser process had to be stopped because it did not return in time. */
export const PARSER_STUCK = 'the parser got stuck';
