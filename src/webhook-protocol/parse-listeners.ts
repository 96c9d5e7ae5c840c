import { WEBHOOK_EVENTS, type WebhookConfiguration } from './configuration.ts';
import { isSubscribed } from './events.ts';

/** Every event of a parse. */
const PARSE_EVENTS = WEBHOOK_EVENTS.filter((event) => event.startsWith('parse.'));

/** What parse parameters say about who is told of the parse. */
interface Reporting {
  webhook_configurations?: WebhookConfiguration[] | null | undefined;
  webhook_url?: string | null | undefined;
}

/** The endpoints that parse parameters name; their `webhook_url` is one for all events of a parse. */
export function parseListeners({ webhook_configurations, webhook_url }: Reporting): WebhookConfiguration[] {
  const short = webhook_url ? [{ webhook_url, webhook_events: PARSE_EVENTS }] : [];
  return [...(webhook_configurations ?? []), ...short];
}

/** Those of a job's endpoints that want to hear of the parse that the job does for itself. */
export function listeningToParses(endpoints: WebhookConfiguration[]): WebhookConfiguration[] {
  return endpoints.filter((endpoint) => PARSE_EVENTS.some((event) => isSubscribed(endpoint, event)));
}
