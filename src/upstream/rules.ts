import { type DomainError, Upstream, type UpstreamOptions } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

export interface UpstreamRules {
  /** Name of the external system in errors, such as "The embedding provider" or a host. */
  name: string;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  /**
   * True if the operator configured the address, for example in LLM_BASE_URL. Such an address may be private.
   */
  trusted?: boolean;
  /**
   * Maximum wait in seconds for the response headers, including the DNS lookup. The same limit applies to
   * each piece of the body.
   */
  silenceSeconds: number;
  /** Time limit of the whole call in seconds, including retries and the response body. */
  totalSeconds?: number;
  /** Maximum size of a response body in bytes, counted after decompression. */
  maxBytes?: number;
  /**
   * Number of retries within a call. Defaults to 0, because callers usually retry and count their attempts
   * themselves.
   */
  retries?: number;
  /**
   * Handling of redirects. `refuse` (the default) fails, and `manual` returns the redirect response. `follow`
   * checks each address, does not send the caller's headers to another origin, and never goes from https to
   * http.
   */
  redirects?: 'follow' | 'refuse' | 'manual';
  /**
   * Credentials that must be removed from error messages. The values in the request's headers, query and form
   * are always removed.
   */
  secrets?: readonly string[];
  /** Creates the error of a failed call. Set by callers that need an error class of their own. */
  error?: (message: string, options: UpstreamOptions) => Upstream;
  signal?: AbortSignal;
}

/**
 * Converts an error of the address check to the caller's own error class. Returns the error unchanged if it
 * is no network error or the caller has no such class.
 */
export function convertError(rules: UpstreamRules, error: DomainError): DomainError {
  if (!(error instanceof Upstream) || !rules.error) return error;
  const { message, retryable, retryAfter, status } = error;
  return rules.error(message, { retryable, retryAfter, status, cause: error });
}

/**
 * Creates the error of a failed call. `what` completes a sentence that begins with the name of the external
 * system.
 */
export function createFailure(rules: UpstreamRules, what: string, options: UpstreamOptions): Upstream {
  const message = `${rules.name} ${what}.`;
  return rules.error?.(message, options) ?? new Upstream(message, options);
}
