import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { headerMap } from '#src/lib/schema/header-map.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

/** Events of jobs and batches, which clients of other services know too. */
const JOB_EVENTS = [
  'batch.cancelled',
  'batch.error',
  'batch.pending',
  'batch.running',
  'batch.success',
  'classify.cancelled',
  'classify.error',
  'classify.partial_success',
  'classify.pending',
  'classify.running',
  'classify.success',
  'extract.cancelled',
  'extract.error',
  'extract.partial_success',
  'extract.pending',
  'extract.success',
  'parse.cancelled',
  'parse.error',
  'parse.partial_success',
  'parse.pending',
  'parse.running',
  'parse.success',
  'sheets.cancelled',
  'sheets.error',
  'sheets.partial_success',
  'sheets.pending',
  'sheets.success',
  'split.cancelled',
  'split.error',
  'split.pending',
  'split.processing',
  'split.success',
  'unmapped_event',
] as const;
/** Events of scheduled evaluation runs. */
export const EVALUATION_EVENTS = ['evaluation.success', 'evaluation.regression', 'evaluation.error'] as const;
export const WEBHOOK_EVENTS = [...JOB_EVENTS, ...EVALUATION_EVENTS] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const webhookUrl = z.url({ protocol: /^https?$/ });

/** Events of products that this installation does not have, and of batches that have not ended. */
const NEVER_SENT = /^batch\.(?:pending|running)$/;

/** Warns about subscribed events that never occur. */
function warnAboutUnusedEvents(events: unknown): string | undefined {
  const never = Array.isArray(events) ? events.filter((event) => NEVER_SENT.test(event)) : [];
  return never.length > 0
    ? `These events never occur in this installation: ${[...new Set(never)].join(', ')}.`
    : undefined;
}

/**
 * Endpoint that receives the status changes of one job, and the format of its deliveries. If `webhook_events`
 * is null, the endpoint receives all events.
 */
export const webhookConfiguration = z.object({
  webhook_url: webhookUrl.nullish(),
  webhook_events: withoutEffect(z.array(z.enum(WEBHOOK_EVENTS)).nullish(), warnAboutUnusedEvents),
  webhook_headers: headerMap().nullish(),
  webhook_output_format: z.enum(['string', 'json']).nullish(),
  webhook_signing_secret: secret().nullish(),
});
export type WebhookConfiguration = z.infer<typeof webhookConfiguration>;

/**
 * Stored form of a webhook configuration. If `as_original` is true, a LlamaCloud client created it and
 * expects deliveries in LlamaCloud's format.
 */
export type Endpoint = WebhookConfiguration & { as_original?: boolean };

export const webhookConfigurations = z.array(webhookConfiguration);
