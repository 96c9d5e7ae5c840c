import { type DomainError, Upstream, type UpstreamOptions } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

export interface UpstreamRules {
  /** How errors name the other side: "The embedding provider", a host. */
  name: string;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  /** The address was set by the operator (LLM_BASE_URL and its kind) and may be private. A caller's never is. */
  trusted?: boolean;
  /** How long headers, with the look-up of the address, and then each piece of a body are waited for. */
  silenceSeconds: number;
  /** The whole exchange, with its retries and the body. */
  totalSeconds?: number;
  /** Of a body, counted as it is read: decompressed. */
  maxBytes?: number;
  /** Further attempts within one call. Default 0: whoever owns the work tries it again, and counts that. */
  retries?: number;
  /**
   * `refuse` (the default) fails, `manual` gives the redirect itself. `follow` checks each address, keeps the
   * caller's headers with their origin and never leaves https.
   */
  redirects?: 'follow' | 'refuse' | 'manual';
  /** Credentials that no message may repeat, beside those in the request's headers, query and form. */
  secrets?: readonly string[];
  /** Makes the error, for kinds with a class of their own. */
  error?: (message: string, options: UpstreamOptions) => Upstream;
  signal?: AbortSignal;
}

/** The guard's errors about the network carry the name of this side; those about the address stay as they are. */
export function asOwn(rules: UpstreamRules, error: DomainError): DomainError {
  if (!(error instanceof Upstream) || !rules.error) return error;
  const { message, retryable, retryAfter, status } = error;
  return rules.error(message, { retryable, retryAfter, status, cause: error });
}

/** The error about the other side, as the sentence that `what` ends. */
export function failed(rules: UpstreamRules, what: string, options: UpstreamOptions): Upstream {
  const message = `${rules.name} ${what}.`;
  return rules.error?.(message, options) ?? new Upstream(message, options);
}
