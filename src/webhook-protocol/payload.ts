import type { WebhookConfiguration, WebhookEvent } from './configuration.ts';

/**
 * Maximum size of a result in a webhook delivery, in characters of JSON. Receivers read larger results from
 * the API.
 */
export const MAX_RESULT_CHARACTERS = 200_000;

export interface EventFacts {
  eventId: string;
  event: WebhookEvent | 'webhook.test';
  at: Date;
  /** Fields that are the same in every output format, such as the job's id and status. */
  data: Record<string, unknown>;
  /** Result of the job. `undefined` if the event has none. */
  result?: unknown;
}

/**
 * Builds the body of a webhook delivery, exactly as it is signed and sent. With the output format `string`,
 * which is the default, `data.result` is a string that contains JSON. With `json` it is the JSON value
 * itself.
 */
export function buildWebhookBody(
  facts: EventFacts,
  format: WebhookConfiguration['webhook_output_format'],
): string {
  return JSON.stringify({
    event_id: facts.eventId,
    event_type: facts.event,
    timestamp: facts.at.getTime() / 1000,
    data: { ...facts.data, ...buildResultMember(facts.result, format) },
  });
}

function buildResultMember(result: unknown, format: WebhookConfiguration['webhook_output_format']) {
  if (result === undefined) return {};
  const text = JSON.stringify(result);
  if (text.length > MAX_RESULT_CHARACTERS) return { result: null, result_omitted: true };
  return { result: format === 'json' ? result : text };
}
