import { DomainError, messageOf } from '#src/lib/errors.ts';
import { signHex } from '#src/lib/secrets/hmac.ts';
import type { Settings } from '#src/settings/settings.ts';
import { upstream } from '#src/upstream/http.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import type { Endpoint } from './configuration.ts';

const SIGNATURE_HEADER = 'SVC-Signature';

/** What receivers of webhooks of the hosted original look for. */
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
  /** Another attempt may succeed; `retryAfter`: seconds that the receiver asked for. */
  | { outcome: 'failed'; statusCode: number | null; error: string; retryAfter?: number }
  /** No further attempt is wanted. */
  | { outcome: 'refused'; statusCode: number | null; error: string };

/** Sends one delivery once. Only a 2xx counts; redirects are not followed. */
export async function deliver(
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>,
  delivery: Delivery,
): Promise<Attempt> {
  const { configuration, body } = delivery;
  const receiver = upstream({
    name: 'the receiver',
    settings,
    silenceSeconds: TIMEOUT_SECONDS,
    totalSeconds: TIMEOUT_SECONDS,
    redirects: 'manual',
  });
  try {
    const headers = await headersOf(delivery);
    // Who has no address is subscribed to nothing.
    const response = await receiver.fetch(configuration.webhook_url!, { method: 'POST', headers, body });
    await response.body?.cancel();
    return judge(response);
  } catch (error) {
    const refused = error instanceof DomainError && !error.retryable;
    return {
      outcome: refused ? 'refused' : 'failed',
      statusCode: null,
      error: messageOf(error).slice(0, 500),
    };
  }
}

async function headersOf({ configuration, eventId, eventType, body }: Delivery): Promise<Headers> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(configuration.webhook_headers ?? {}))
    setOwn(headers, name, value);
  headers.set('content-type', 'application/json');
  headers.set('user-agent', configuration.as_original ? ORIGINAL_USER_AGENT : USER_AGENT);
  headers.set('x-webhook-event-id', eventId);
  headers.set('x-webhook-event-type', eventType);
  const { webhook_signing_secret: secret } = configuration;
  if (secret) {
    const signature = await signatureOf(secret, body);
    headers.set(SIGNATURE_HEADER, signature);
    if (configuration.as_original) headers.set(ORIGINAL_SIGNATURE_HEADER, signature);
  }
  return headers;
}

function setOwn(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // The value stays out of the message: it may be a credential.
    throw new DomainError('bad_request', `The webhook header ${JSON.stringify(name)} cannot be sent.`);
  }
}

function judge(response: Response): Attempt {
  const { status } = response;
  if (response.ok) return { outcome: 'delivered', statusCode: status };
  const error = `the receiver answered ${status}`;
  if (status === 410) return { outcome: 'refused', statusCode: status, error };
  const retryAfter = retryAfterOf(response.headers.get('retry-after'));
  return { outcome: 'failed', statusCode: status, error, ...(retryAfter !== undefined && { retryAfter }) };
}

/** `sha256=` and the HMAC-SHA256 of the raw body, hex. */
export async function signatureOf(secret: string, body: string): Promise<string> {
  return `sha256=${await signHex(secret, body)}`;
}
