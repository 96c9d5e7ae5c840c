import { Invalid, Upstream } from '#src/lib/errors.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createUpstreamHttp, type UpstreamHttp } from '#src/upstream/http.ts';

/**
 * Maximum size in bytes of a store's response. A response with ten thousand points has about two megabytes.
 */
const MAX_BYTES = 32_000_000;
const DEFAULT_RETRIES = 3;
/**
 * Maximum duration of a call, as a multiple of the silence limits of all its attempts. A response may arrive
 * slowly, but it must end.
 */
const SLOW_RESPONSE_FACTOR = 2;

interface StoreHttp {
  product: string;
  deps: SinkDeps;
  /** Credentials that are removed from error messages. */
  secrets: string[];
  /** Number of retries within a call. Defaults to three if it is absent or null. */
  retries?: number | null;
  /** Time in seconds without data after which a request fails. Defaults to the installation's setting. */
  silenceSeconds?: number | undefined;
}

/**
 * Creates the HTTP client of an external vector store. Its errors are SinkErrors whose message begins with
 * the product name.
 */
export function createStoreHttp({
  product,
  deps,
  secrets,
  retries,
  silenceSeconds,
}: StoreHttp): UpstreamHttp {
  const silence = silenceSeconds ?? deps.settings.SILENCE_SECONDS;
  const furtherAttempts = retries ?? DEFAULT_RETRIES;
  return createUpstreamHttp({
    name: product,
    settings: deps.settings,
    silenceSeconds: silence,
    totalSeconds: SLOW_RESPONSE_FACTOR * silence * (furtherAttempts + 1),
    retries: furtherAttempts,
    maxBytes: MAX_BYTES,
    secrets,
    error: (message, options) => new SinkError(message, options),
  });
}

export const createSettingError = (name: string, message: string) =>
  Invalid.field(['component', name], message);

/**
 * Rejects a configured dimension that differs from the dimension of the embedding model. If either is
 * unknown, nothing is rejected.
 */
export function checkDimension(name: string, given: number | null | undefined, dimension?: number): void {
  if (given == null || dimension === undefined || given === dimension) return;
  throw createSettingError(name, `The embedding model returns ${dimension} dimensions, not ${given}.`);
}

/** Throws a retryable SinkError if the store reports fewer written points than were sent. */
export function checkWritten(product: string, written: number, given: number): void {
  if (written >= given) return;
  const message = `${product} wrote only ${written} of ${given} points.`;
  throw new SinkError(message, { retryable: true });
}

/** Names of the settings that errors blame if the store rejects a request. */
interface SettingNames {
  credentials: string;
  address: string;
}

/**
 * Runs a check against the store. A response with status 401 or 403 becomes an error of the credentials, and
 * another permanent rejection an error of the address. Temporary failures stay SinkErrors.
 */
export async function attributeRefusals<T>(
  { credentials, address }: SettingNames,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Upstream) || error.status === undefined) throw error;
    if (error.status === 401 || error.status === 403) throw createSettingError(credentials, error.message);
    const isRefused = error.status >= 300 && error.status < 500 && !error.retryable;
    throw isRefused ? createSettingError(address, error.message) : error;
  }
}

/** Returns the result of a request. Returns `undefined` if the store responds with status 404. */
export async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Upstream && error.status === 404) return undefined;
    throw error;
  }
}
