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
