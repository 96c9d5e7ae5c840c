import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { signHex } from '#src/lib/secrets/hmac.ts';
import type { Settings } from '#src/settings/settings.ts';
import { createUpstreamHttp } from '#src/upstream/http.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import type { Endpoint } from './configuration.ts';

const SIGNATURE_HEADER = 'SVC-Signature';

/** Signature header and user agent of deliveries in LlamaCloud's format, which existing receivers expect. */
const ORIGINAL_SIGNATURE_HEADER = 'LC-Signature';
const ORIGINAL_USER_AGENT = 'llamaindex-webhook-service/1.0';

const TIMEOUT_SECONDS = 30;
const USER_AGENT = 'Sluice-Webhooks/1.0';

export interface Delivery {
  configuration: Endpoint;
  eventId: string;
  eventType: string;
  body: string;
}

export type Attempt =
  | { outcome: 'delivered'; statusCode: number }
  /**
   * Temporary failure: another attempt may succeed. `retryAfter` is the number of seconds that the receiver
   * asked to wait.
   */
  | { outcome: 'failed'; statusCode: number | null; error: string; retryAfter?: number }
  /** Permanent failure: the delivery is not attempted again. */
  | { outcome: 'refused'; statusCode: number | null; error: string };

/**
 * Makes one attempt to deliver a webhook event. Only a response with status 2xx counts as delivered, and
 * redirects are not followed.
 */
export async function deliver(
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>,
  delivery: Delivery,
): Promise<Attempt> {
  const { configuration, body } = delivery;
  const receiver = createUpstreamHttp({
    name: 'The receiver',
    settings,
    silenceSeconds: TIMEOUT_SECONDS,
    totalSeconds: TIMEOUT_SECONDS,
    redirects: 'manual',
  });
  try {
    const headers = await buildHeaders(delivery);
    // The URL is always set here, because a configuration without a URL receives no events.
    const response = await receiver.fetch(configuration.webhook_url!, { method: 'POST', headers, body });
    await response.body?.cancel();
    return toAttempt(response);
  } catch (error) {
    const refused = error instanceof DomainError && !error.retryable;
    return {
      outcome: refused ? 'refused' : 'failed',
      statusCode: null,
      error: getErrorMessage(error).slice(0, 500),
    };
  }
}

async function buildHeaders({ configuration, eventId, eventType, body }: Delivery): Promise<Headers> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(configuration.webhook_headers ?? {}))
    setCustomHeader(headers, name, value);
  headers.set('content-type', 'application/json');
  headers.set('user-agent', configuration.as_original ? ORIGINAL_USER_AGENT : USER_AGENT);
  headers.set('x-webhook-event-id', eventId);
  headers.set('x-webhook-event-type', eventType);
  const { webhook_signing_secret: secret } = configuration;
  if (secret) {
    const signature = await signBody(secret, body);
    headers.set(SIGNATURE_HEADER, signature);
    if (configuration.as_original) headers.set(ORIGINAL_SIGNATURE_HEADER, signature);
  }
  return headers;
}

function setCustomHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // The error message omits the header value, because it may be a credential.
    throw new DomainError(
      'bad_request',
      `The webhook header ${JSON.stringify(name)} contains characters that cannot be sent.`,
    );
  }
}

function toAttempt(response: Response): Attempt {
  const { status } = response;
  if (response.ok) return { outcome: 'delivered', statusCode: status };
  const error = `The receiver answered ${status}`;
  if (status === 410) return { outcome: 'refused', statusCode: status, error };
  const retryAfter = parseRetryAfter(response.headers.get('retry-after'));
  return { outcome: 'failed', statusCode: status, error, ...(retryAfter !== undefined && { retryAfter }) };
}

/**
 * Returns the signature header of a request body: `sha256=` followed by the HMAC-SHA256 of the raw body in
 * hexadecimal.
 */
export async function signBody(secret: string, body: string): Promise<string> {
  return `sha256=${await signHex(secret, body)}`;
}
