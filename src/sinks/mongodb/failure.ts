import { BadRequest, DomainError, messageOf } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { isNetworkFault } from '#src/upstream/retryable.ts';
import { scrub } from '#src/upstream/scrub.ts';
import { TimedOut } from '#src/upstream/timeout.ts';
import { BadAddress } from './bad-address.ts';

const SUBJECT = 'The data sink (VENDOR_D)';
const LONGEST_REASON = 300;

/** The server's codes that are worth another attempt: its own faults, overload, time, and a change of the primary. */
const PASSING = new Set([
  ...[1, 6, 7, 50, 89, 91, 112, 134, 189, 202, 262, 462],
  ...[9001, 10_107, 11_600, 11_602, 13_435, 13_436],
]);
/** Of Atlas, for everything that is its own: a wrong password, a plan's limits. */
const ATLAS = 8000;
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
const PASSING_LABELS = [
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'TransientTransactionError',
];
const PASSING_NAMES =
  /^Mongo(Network|NetworkTimeout|ServerSelection|PoolCleared|PoolClosed|WaitQueueTimeout|OperationTimeout|TopologyClosed|NotConnected)\w*Error$/;
/** An index that was made and cannot be asked yet. */
const BEING_BUILT = /while in state (INITIAL_SYNC|NOT_STARTED)/;

interface DriverError {
  name?: string;
  code?: unknown;
  hasErrorLabel?(label: string): boolean;
}

/** Whether the connection that this came over is not to be used again. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TimedOut ||
  PASSING_NAMES.test((error as DriverError)?.name ?? '') ||
  isNetworkFault(error);

export const refused = (message: string, retryable = false, retryAfter?: number) =>
  new SinkError(`${SUBJECT}: ${message}`, { retryable, ...(retryAfter !== undefined && { retryAfter }) });

/** What is thrown by the driver, the guard or a wrong address, as the error of the sink. */
export function failureOf(error: unknown, what: string, secrets: string[]): SinkError {
  if (error instanceof SinkError) return error;
  if (error instanceof BadAddress || error instanceof BadRequest) {
    return refused(`${scrub(error.message, secrets)} (db_uri)`);
  }
  if (error instanceof DomainError) return refused(error.message, true);
  const said = scrub(messageOf(error), secrets).slice(0, LONGEST_REASON).replace(/\.$/, '');
  const code = codeOf(error);
  const status = statusOf(code, said);
  if (status !== undefined) {
    return new SinkError(`${SUBJECT} refused ${what} to the user of db_uri: ${said}.`, {
      retryable: false,
      status,
    });
  }
  const retryable = isPassing(error as DriverError, code, said);
  return new SinkError(
    isConnectionLost(error)
      ? `${SUBJECT} did not answer to ${what}: ${said}.`
      : `${SUBJECT} refused ${what}: ${said}.`,
    { retryable },
  );
}

/** The codes of these refusals, by which work that was done already by another is known. */
export function codeOf(error: unknown): number | undefined {
  const { code } = error as DriverError;
  return typeof code === 'number' ? code : undefined;
}

function statusOf(code: number | undefined, said: string): number | undefined {
  if (code === AUTHENTICATION_FAILED || (code === ATLAS && /auth/i.test(said))) return 401;
  return code === UNAUTHORIZED ? 403 : undefined;
}

function isPassing(error: DriverError, code: number | undefined, said: string): boolean {
  if (isConnectionLost(error) || BEING_BUILT.test(said)) return true;
  if (code !== undefined && PASSING.has(code)) return true;
  return PASSING_LABELS.some((label) => error.hasErrorLabel?.(label));
}
