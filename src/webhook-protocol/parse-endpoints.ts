import { WEBHOOK_EVENTS, type WebhookConfiguration } from './configuration.ts';
import { isSubscribed } from './events.ts';

const PARSE_EVENTS = WEBHOOK_EVENTS.filter((event) => event.startsWith('parse.'));

/** Names of the parse parameters that configure webhooks. */
interface ParseWebhookParameters {
  webhook_configurations?: WebhookConfiguration[] | null | undefined;
  webhook_url?: string | null | undefined;
}

/**
 * Returns the webhook endpoints that parse parameters configure. An endpoint in `webhook_url` receives all
 * parse events.
 */
export function listParseEndpoints({
  webhook_configurations,
  webhook_url,
}: ParseWebhookParameters): WebhookConfiguration[] {
  const short = webhook_url ? [{ webhook_url, webhook_events: PARSE_EVENTS }] : [];
  return [...(webhook_configurations ?? []), ...short];
}

/** Returns the webhook endpoints of a job that receive the events of the parsing done within the job. */
export function filterParseSubscribers(endpoints: WebhookConfiguration[]): WebhookConfiguration[] {
  return endpoints.filter((endpoint) => PARSE_EVENTS.some((event) => isSubscribed(endpoint, event)));
}
