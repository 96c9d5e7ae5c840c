import { describe, expect, it } from 'vitest';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { WEBHOOK_EVENTS, webhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import {
  getEventSequence,
  getWebhookEvent,
  isSubscribed,
  listEvaluationEvents,
} from '#src/webhook-protocol/events.ts';
import { filterParseSubscribers, listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';

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
  ['split', 'PENDING', 'split.pending'],
  ['split', 'RUNNING', 'split.processing'],
  ['split', 'COMPLETED', 'split.success'],
  ['split', 'FAILED', 'split.error'],
  ['split', 'CANCELLED', 'split.cancelled'],
  ['sheets', 'PENDING', 'sheets.pending'],
  ['sheets', 'RUNNING', null],
  ['sheets', 'COMPLETED', 'sheets.success'],
  ['sheets', 'FAILED', 'sheets.error'],
  ['sheets', 'CANCELLED', 'sheets.cancelled'],
  ['parse', 'PENDING', 'parse.pending'],
  ['parse', 'RUNNING', 'parse.running'],
  ['parse', 'COMPLETED', 'parse.success'],
  ['parse', 'FAILED', 'parse.error'],
  ['parse', 'CANCELLED', 'parse.cancelled'],
  ['parse', 'SOMETHING', 'unmapped_event'],
] as const)('product %s with status %s raises %s', (product, status, event) => {
  expect(getWebhookEvent(product, status)).toBe(event);
  // There is no event for a partial result of a split job.
  const partial = product === 'split' ? 'split.success' : `${product}.partial_success`;
  expect(getWebhookEvent(product, status, true)).toBe(status === 'COMPLETED' ? partial : event);
});

/** Lists the event types explicitly, because clients subscribe to them and changes must not remove any. */
const KINDS = [
  ...['cancelled', 'error', 'pending', 'running', 'success'].map((of) => `batch.${of}`),
  ...['cancelled', 'error', 'partial_success', 'pending', 'running', 'success'].map((of) => `classify.${of}`),
  ...['cancelled', 'error', 'partial_success', 'pending', 'success'].map((of) => `extract.${of}`),
  ...['cancelled', 'error', 'partial_success', 'pending', 'running', 'success'].map((of) => `parse.${of}`),
  ...['cancelled', 'error', 'partial_success', 'pending', 'success'].map((of) => `sheets.${of}`),
  ...['cancelled', 'error', 'pending', 'processing', 'success'].map((of) => `split.${of}`),
  'unmapped_event',
  ...['error', 'regression', 'success'].map((of) => `evaluation.${of}`),
];

it('all 36 event types can be subscribed to', () => {
  expect([...WEBHOOK_EVENTS].toSorted()).toEqual(KINDS.toSorted());
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

it.each([
  ['COMPLETED', false, ['evaluation.success']],
  ['COMPLETED', true, ['evaluation.success', 'evaluation.regression']],
  ['FAILED', false, ['evaluation.error']],
  ['CANCELLED', false, []],
] as const)('an evaluation run that is %s and regressed (%s) raises %j', (status, isRegression, events) => {
  expect(listEvaluationEvents(status, isRegression)).toEqual(events);
});

it('events of a job are ordered', () => {
  const statuses = ['PENDING', 'RUNNING', 'COMPLETED'];
  expect(statuses.map(getEventSequence)).toEqual([1, 2, 3]);
});

describe('webhook configuration', () => {
  const url = { webhook_url: 'https://h.example' };
  const warned = (webhook_events: unknown) =>
    collectWarnings(webhookConfiguration, { ...url, webhook_events });

  it('warns once about events that are never raised', () => {
    expect(warned(['parse.success', 'batch.running', 'batch.pending', 'batch.running'])).toEqual([
      {
        field: 'webhook_events',
        reason: 'These events never occur in this installation: batch.running, batch.pending.',
      },
    ]);
    expect(warned(['batch.pending', 'batch.running'])).toHaveLength(1);
    expect(
      warned([
        'split.error',
        'sheets.success',
        'unmapped_event',
        'batch.success',
        'batch.error',
        'batch.cancelled',
      ]),
    ).toEqual([]);
    expect(warned('batch.running')).toEqual([]);
  });

  it.each([
    ['string', true],
    ['json', true],
    [null, true],
    ['xml', false],
    ['', false],
  ])('with output format %j is valid: %j', (webhook_output_format, isTaken) => {
    expect(webhookConfiguration.safeParse({ ...url, webhook_output_format }).success).toBe(isTaken);
  });

  it.each([
    ['http://h.example/hook', true],
    ['https://h.example', true],
    ['ftp://h.example', false],
    ['h.example', false],
  ])('with URL %s is valid: %j', (webhook_url, isTaken) => {
    expect(webhookConfiguration.safeParse({ webhook_url }).success).toBe(isTaken);
  });
});

describe('subscribers of parse events', () => {
  const own = { webhook_url: 'https://own.example', webhook_events: ['parse.error' as const] };
  const parseEvents = WEBHOOK_EVENTS.filter((event) => event.startsWith('parse.'));

  it('include the configured endpoints and the short form, which gets all parse events', () => {
    expect(listParseEndpoints({})).toEqual([]);
    expect(listParseEndpoints({ webhook_configurations: [own], webhook_url: null })).toEqual([own]);
    const [first, short, ...more] = listParseEndpoints({
      webhook_configurations: [own],
      webhook_url: 'https://short.example',
    });
    expect([first, short?.webhook_url, more]).toEqual([own, 'https://short.example', []]);
    expect(WEBHOOK_EVENTS.filter((event) => isSubscribed(short!, event))).toEqual(parseEvents);
    expect(parseEvents).toHaveLength(6);
  });

  it('include endpoints of a job that subscribe to a parse event', () => {
    const all = { webhook_url: 'https://all.example', webhook_events: null };
    const others = { webhook_url: 'https://others.example', webhook_events: ['extract.success' as const] };
    const nowhere = { webhook_events: ['parse.success' as const] };
    expect(filterParseSubscribers([all, own, others, nowhere])).toEqual([all, own]);
  });
});
