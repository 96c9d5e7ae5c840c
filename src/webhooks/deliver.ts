import type { Settings } from '#src/env.ts';
import { DomainError, messageOf } from '#src/errors.ts';
import { guardUrl } from '#src/upstream/address-guard.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import type { WebhookConfiguration } from './configuration.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

const TIMEOUT_MS = 30_000;
const USER_AGENT = 'Sluice-Webhooks/1.0';

export interface Delivery {
  configuration: WebhookConfiguration;
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
  try {
    const url = await guardUrl(configuration.webhook_url ?? '', settings);
    const response = await fetch(url, {
      method: 'POST',
      headers: await headersOf(delivery),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return judge(response);
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const text = timedOut ? `no answer within ${TIMEOUT_MS / 1000} seconds` : messageOf(error);
    const refused = error instanceof DomainError && !error.retryable;
    return { outcome: refused ? 'refused' : 'failed', statusCode: null, error: text.slice(0, 500) };
  }
}

async function headersOf({ configuration, eventId, eventType, body }: Delivery): Promise<Headers> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(configuration.webhook_headers ?? {}))
    setOwn(headers, name, value);
  headers.set('content-type', 'application/json');
  headers.set('user-agent', USER_AGENT);
  headers.set('x-webhook-event-id', eventId);
  headers.set('x-webhook-event-type', eventType);
  const { webhook_signing_secret: secret } = configuration;
  if (secret) headers.set(SIGNATURE_HEADER, await signatureOf(secret, body));
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
