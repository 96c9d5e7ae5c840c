import type { WebhookConfiguration, WebhookEvent } from './configuration.ts';

/** Larger results are left out of a payload; the receiver reads them from the API. Characters of JSON. */
export const MAX_RESULT_CHARACTERS = 200_000;

export interface EventFacts {
  eventId: string;
  event: WebhookEvent;
  at: Date;
  /** What is the same for every format: id, status and the like. */
  data: Record<string, unknown>;
  /** The job's result; undefined when the event has none. */
  result?: unknown;
}

/**
 * The body of a delivery, exactly as it is signed and sent. With the output format `string`, which is the
 * default, `data.result` is JSON in a string; with `json` it is the value itself.
 */
export function webhookBody(
  facts: EventFacts,
  format: WebhookConfiguration['webhook_output_format'],
): string {
  return JSON.stringify({
    event_id: facts.eventId,
    event_type: facts.event,
    timestamp: facts.at.getTime() / 1000,
    data: { ...facts.data, ...resultMember(facts.result, format) },
  });
}

function resultMember(result: unknown, format: WebhookConfiguration['webhook_output_format']) {
  if (result === undefined) return {};
  const text = JSON.stringify(result);
  if (text.length > MAX_RESULT_CHARACTERS) return { result: null, result_omitted: true };
  return { result: format === 'json' ? result : text };
}
