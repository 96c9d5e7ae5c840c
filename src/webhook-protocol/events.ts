import type { JobStatus } from '#src/db/schema/jobs.ts';
import type { WebhookConfiguration, WebhookEvent } from './configuration.ts';

export type Product = 'extract' | 'classify' | 'split' | 'sheets' | 'parse';

/**
 * Webhook event for each status of a job. `null` means that the status causes no event.
 * docs/reference/webhooks.md contains the same table.
 */
const EVENTS = {
  extract: {
    PENDING: 'extract.pending',
    // The list of webhook events has no event for a running extract job.
    RUNNING: null,
    COMPLETED: 'extract.success',
    FAILED: 'extract.error',
    CANCELLED: 'extract.cancelled',
  },
  classify: {
    PENDING: 'classify.pending',
    RUNNING: 'classify.running',
    COMPLETED: 'classify.success',
    FAILED: 'classify.error',
    CANCELLED: 'classify.cancelled',
  },
  split: {
    PENDING: 'split.pending',
    RUNNING: 'split.processing',
    COMPLETED: 'split.success',
    FAILED: 'split.error',
    CANCELLED: 'split.cancelled',
  },
  sheets: {
    PENDING: 'sheets.pending',
    // The list of webhook events has no event for a running sheets job.
    RUNNING: null,
    COMPLETED: 'sheets.success',
    FAILED: 'sheets.error',
    CANCELLED: 'sheets.cancelled',
  },
  parse: {
    PENDING: 'parse.pending',
    RUNNING: 'parse.running',
    COMPLETED: 'parse.success',
    FAILED: 'parse.error',
    CANCELLED: 'parse.cancelled',
  },
} as const satisfies Record<Product, Record<JobStatus, WebhookEvent | null>>;

const PARTIAL = {
  extract: 'extract.partial_success',
  classify: 'classify.partial_success',
  // The list of webhook events has no event for a partial result of a split job.
  split: 'split.success',
  sheets: 'sheets.partial_success',
  parse: 'parse.partial_success',
} as const satisfies Record<Product, WebhookEvent>;

/**
 * Returns the webhook event for a job's status, or `null` if the status causes none. `partial` means that the
 * job completed although some of its pages could not be read.
 */
export function getWebhookEvent(product: Product, status: string, partial = false): WebhookEvent | null {
  if (status === 'COMPLETED' && partial) return PARTIAL[product];
  const events: Record<string, WebhookEvent | null> = EVENTS[product];
  // An unknown status is reported as `unmapped_event`, so that endpoints with all events still receive it.
  return Object.hasOwn(events, status) ? events[status]! : 'unmapped_event';
}

/** Webhook event for each final status of a batch. The start of a batch causes no event. */
const BATCH_EVENTS = {
  PENDING: null,
  RUNNING: null,
  COMPLETED: 'batch.success',
  FAILED: 'batch.error',
  CANCELLED: 'batch.cancelled',
} as const satisfies Record<JobStatus, WebhookEvent | null>;

/** Returns the webhook event for the status of a batch, or `null` if the status causes none. */
export const getBatchEvent = (status: JobStatus): WebhookEvent | null => BATCH_EVENTS[status];

/**
 * Returns the webhook events that report the end of a scheduled evaluation run. A regression is reported in addition
 * to the end. A cancelled run causes no event.
 */
export function listEvaluationEvents(status: JobStatus, isRegression: boolean): WebhookEvent[] {
  if (status === 'FAILED') return ['evaluation.error'];
  if (status !== 'COMPLETED') return [];
  return isRegression ? ['evaluation.success', 'evaluation.regression'] : ['evaluation.success'];
}

/** Returns the position of a webhook event among the events of its job, starting at 1. */
export function getEventSequence(status: string): number {
  if (status === 'PENDING') return 1;
  return status === 'RUNNING' ? 2 : 3;
}

export function isSubscribed(configuration: WebhookConfiguration, event: WebhookEvent): boolean {
  if (!configuration.webhook_url) return false;
  const { webhook_events: events } = configuration;
  return events === null || events === undefined || events.includes(event);
}
