import { type DomainError, Upstream, type UpstreamOptions } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

export interface UpstreamRules {
  /** Name of the external system in errors, such as "The embedding provider" or a host. */
  name: string;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  /**
   * True if the operator configured the address (LLM_BASE_URL and similar settings), so that it may be
   * private.
   */
  trusted?: boolean;
  /**
   * Seconds to wait for the response headers, including the DNS lookup, and then for each piece of the body.
   */
  silenceSeconds: number;
  /** Time limit of the whole call in seconds, including retries and body. */
  totalSeconds?: number;
  /** Maximum size of a body in bytes, counted after decompression. */
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
   * Credentials that must not appear in messages, in addition to the values in the request's headers, query
   * and form.
   */
  secrets?: readonly string[];
  /** Creates the error of a failure, for callers with an error class of their own. */
  error?: (message: string, options: UpstreamOptions) => Upstream;
  signal?: AbortSignal;
}

/**
 * Converts a network error of the address check to the error class of these rules. Returns other errors
 * unchanged.
 */
export function convertError(rules: UpstreamRules, error: DomainError): DomainError {
  if (!(error instanceof Upstream) || !rules.error) return error;
  const { message, retryable, retryAfter, status } = error;
  return rules.error(message, { retryable, retryAfter, status, cause: error });
}

/**
 * Creates the error of a failed call. `what` completes the sentence that begins with the name of the system.
 */
export function createFailure(rules: UpstreamRules, what: string, options: UpstreamOptions): Upstream {
  const message = `${rules.name} ${what}.`;
  return rules.error?.(message, options) ?? new Upstream(message, options);
}
