import type { JobStatus } from '#src/db/schema/jobs.ts';
import type { WebhookConfiguration, WebhookEvent } from './configuration.ts';

/** Products whose jobs have events of their own. */
export type Product = 'extract' | 'classify' | 'parse';

/** Which event a status change raises; null: none. docs/webhooks.md shows this table. */
const EVENTS = {
  extract: {
    PENDING: 'extract.pending',
    // There is no kind for it.
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
  parse: 'parse.partial_success',
} as const satisfies Record<Product, WebhookEvent>;

/**
 * Returns the event that a job's status raises, or `null` if the status raises none. `partial` says that the job
 * completed although some of its pages could not be read.
 */
export function eventOf(product: Product, status: string, partial = false): WebhookEvent | null {
  if (status === 'COMPLETED' && partial) return PARTIAL[product];
  const events: Record<string, WebhookEvent | null> = EVENTS[product];
  // A status that no kind is about is not kept from those who listen to everything.
  return Object.hasOwn(events, status) ? events[status]! : 'unmapped_event';
}

/** Position of an event among those of its job. */
export function sequenceOf(status: string): number {
  if (status === 'PENDING') return 1;
  return status === 'RUNNING' ? 2 : 3;
}

export function isSubscribed(configuration: WebhookConfiguration, event: WebhookEvent): boolean {
  if (!configuration.webhook_url) return false;
  const { webhook_events: events } = configuration;
  return events === null || events === undefined || events.includes(event);
}
