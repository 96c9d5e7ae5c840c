import { expect, it } from 'vitest';
import { WEBHOOK_EVENTS, webhookConfiguration } from '#src/webhooks/configuration.ts';
import { eventOf, isSubscribed, sequenceOf } from '#src/webhooks/events.ts';

it.each([
  ['extract', 'PENDING', 'extract.pending'],
  ['extract', 'RUNNING', null],
  ['extract', 'COMPLETED', 'extract.success'],
  ['extract', 'FAILED', 'extract.error'],
  ['extract', 'CANCELLED', 'extract.cancelled'],
  ['classify', 'PENDING', 'classify.pending'],
  ['classify', 'RUNNING', 'classify.running'],
  ['classify', 'COMPLETED', 'classify.success'],
  ['classify', 'FAILED', 'classify.error'],
  ['classify', 'CANCELLED', 'classify.cancelled'],
  ['parse', 'PENDING', 'parse.pending'],
  ['parse', 'RUNNING', 'parse.running'],
  ['parse', 'COMPLETED', 'parse.success'],
  ['parse', 'FAILED', 'parse.error'],
  ['parse', 'CANCELLED', 'parse.cancelled'],
  ['parse', 'SOMETHING', 'unmapped_event'],
] as const)('%s %s raises %s', (product, status, event) => {
  expect(eventOf(product, status)).toBe(event);
  expect(eventOf(product, status, true)).toBe(status === 'COMPLETED' ? `${product}.partial_success` : event);
});

it('accepts all 28 kinds and delivers those that are subscribed to', () => {
  expect(new Set(WEBHOOK_EVENTS).size).toBe(28);
  for (const event of WEBHOOK_EVENTS) {
    const configuration = webhookConfiguration.parse({
      webhook_url: 'https://h.example',
      webhook_events: [event],
    });
    for (const other of WEBHOOK_EVENTS) expect(isSubscribed(configuration, other)).toBe(event === other);
    expect(isSubscribed({ webhook_url: 'https://h.example' }, event)).toBe(true);
    expect(isSubscribed({ webhook_events: null }, event)).toBe(false);
  }
});

it('orders the events of a job', () => {
  const statuses = ['PENDING', 'RUNNING', 'COMPLETED'];
  expect(statuses.map(sequenceOf)).toEqual([1, 2, 3]);
});
