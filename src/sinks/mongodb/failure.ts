import { BadRequest, DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { isNetworkFault } from '#src/upstream/retryable.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { TimedOut } from '#src/upstream/timeout.ts';
import { BadAddress } from './bad-address.ts';

const SUBJECT = 'MongoDB Atlas';
const LONGEST_REASON = 300;

/** MongoDB error codes that are retried: server failures, overload, timeouts, and a change of the primary. */
const RETRYABLE_CODES = new Set([
  ...[1, 6, 7, 50, 89, 91, 112, 134, 189, 202, 262, 462],
  ...[9001, 10_107, 11_600, 11_602, 13_435, 13_436],
]);
/**
 * Error code with which MongoDB Atlas reports its own errors, such as a wrong password or the limits of a
 * plan.
 */
const ATLAS_ERROR = 8000;
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
const RETRYABLE_LABELS = [
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'TransientTransactionError',
];
const CONNECTION_ERROR_NAMES =
  /^Mongo(Network|NetworkTimeout|ServerSelection|PoolCleared|PoolClosed|WaitQueueTimeout|OperationTimeout|TopologyClosed|NotConnected)\w*Error$/;
const BEING_BUILT = /while in state (INITIAL_SYNC|NOT_STARTED)/;

interface DriverError {
  name?: string;
  code?: unknown;
  hasErrorLabel?(label: string): boolean;
}

/** Returns whether the error means that the connection must not be reused. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TimedOut ||
  CONNECTION_ERROR_NAMES.test((error as DriverError)?.name ?? '') ||
  isNetworkFault(error);

export const createError = (message: string, retryable = false, retryAfter?: number) =>
  new SinkError(`${SUBJECT}: ${message}`, { retryable, ...(retryAfter !== undefined && { retryAfter }) });

/**
 * Converts an error to a SinkError. The error may come from the driver, the address check or the URI parser.
 */
export function toSinkError(error: unknown, what: string, secrets: string[]): SinkError {
  if (error instanceof SinkError) return error;
  if (error instanceof BadAddress || error instanceof BadRequest) {
    return createError(`${removeCredentials(error.message, secrets)} (db_uri)`);
  }
  if (error instanceof DomainError) return createError(error.message, true);
  const text = removeCredentials(getErrorMessage(error), secrets).slice(0, LONGEST_REASON).replace(/\.$/, '');
  const code = getErrorCode(error);
  const status = getHttpStatus(code, text);
  if (status !== undefined) {
    return new SinkError(`${SUBJECT} refused ${what} for the user in db_uri: ${text}.`, {
      retryable: false,
      status,
    });
  }
  const retryable = isRetryable(error as DriverError, code, text);
  return new SinkError(
    isConnectionLost(error)
      ? `${SUBJECT} did not answer a request for ${what}: ${text}.`
      : `${SUBJECT} refused ${what}: ${text}.`,
    { retryable },
  );
}

/**
 * Returns the numeric error code of MongoDB. Callers use it to detect work that another worker has already
 * done.
 */
export function getErrorCode(error: unknown): number | undefined {
  const { code } = error as DriverError;
  return typeof code === 'number' ? code : undefined;
}

function getHttpStatus(code: number | undefined, text: string): number | undefined {
  if (code === AUTHENTICATION_FAILED || (code === ATLAS_ERROR && /auth/i.test(text))) return 401;
  return code === UNAUTHORIZED ? 403 : undefined;
}

function isRetryable(error: DriverError, code: number | undefined, text: string): boolean {
  if (isConnectionLost(error) || BEING_BUILT.test(text)) return true;
  if (code !== undefined && RETRYABLE_CODES.has(code)) return true;
  return RETRYABLE_LABELS.some((label) => error.hasErrorLabel?.(label));
}
