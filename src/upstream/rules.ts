import { type DomainError, Upstream, type UpstreamOptions } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

export interface UpstreamRules {
  /** Name of the other side in errors, such as "The embedding provider" or a host. */
  name: string;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  /** Whether the operator set the address (LLM_BASE_URL and similar), so that it may be private. */
  trusted?: boolean;
  /** Seconds to wait for the headers, including the lookup, and then for each piece of the body. */
  silenceSeconds: number;
  /** Time limit in seconds of the whole call, including retries and body. */
  totalSeconds?: number;
  /** Maximum bytes of a body, counted after decompression. */
  maxBytes?: number;
  /** Retries within a call; 0 by default, because the owner of the work retries and counts. */
  retries?: number;
  /**
   * Handling of redirects. `refuse` (the default) fails, and `manual` returns the redirect response. `follow`
   * checks each address, does not send the caller's headers to another origin, and never goes from https to
   * http.
   */
  redirects?: 'follow' | 'refuse' | 'manual';
  /** Credentials that must not appear in messages, besides those in the request's headers, query and form. */
  secrets?: readonly string[];
  /** Creates the error, for callers with an error class of their own. */
  error?: (message: string, options: UpstreamOptions) => Upstream;
  signal?: AbortSignal;
}

/**
 * Converts a network error of the address guard to the error class of these rules. Other errors are returned
 * unchanged.
 */
export function asOwn(rules: UpstreamRules, error: DomainError): DomainError {
  if (!(error instanceof Upstream) || !rules.error) return error;
  const { message, retryable, retryAfter, status } = error;
  return rules.error(message, { retryable, retryAfter, status, cause: error });
}

/**
 * Returns the error of an upstream failure. `what` ends the sentence that begins with the upstream's name.
 */
export function failed(rules: UpstreamRules, what: string, options: UpstreamOptions): Upstream {
  const message = `${rules.name} ${what}.`;
  return rules.error?.(message, options) ?? new Upstream(message, options);
}
