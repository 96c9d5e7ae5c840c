import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { deliver, signBody } from '#src/webhook-protocol/deliver.ts';
import { buildWebhookBody } from '#src/webhook-protocol/payload.ts';

const facts = {
  eventId: 'e1',
  event: 'extract.success' as const,
  at: new Date(1_700_000_000_250),
  data: { id: 'ext-1', job_id: 'ext-1', status: 'COMPLETED' },
  result: { total: 7 },
};

describe('webhook payload', () => {
  it.each([
    [undefined, '{"total":7}'],
    [null, '{"total":7}'],
    ['string', '{"total":7}'],
    ['json', { total: 7 }],
  ] as const)('contains the result in format %s', (format, result) => {
    expect(JSON.parse(buildWebhookBody(facts, format))).toEqual({
      event_id: 'e1',
      event_type: 'extract.success',
      timestamp: 1_700_000_000.25,
      data: { ...facts.data, result },
    });
  });

  it('contains no result without one, and a marker if the result is too large', () => {
    const { result: _, ...without } = facts;
    expect(JSON.parse(buildWebhookBody(without, 'json')).data).toEqual(facts.data);
    // Counts characters of JSON, including the two quotes of a string.
    const ofSize = (characters: number) =>
      JSON.parse(buildWebhookBody({ ...facts, result: 'x'.repeat(characters - 2) }, 'json')).data;
    expect(ofSize(200_000).result).toHaveLength(199_998);
    expect(ofSize(200_001)).toEqual({ ...facts.data, result: null, result_omitted: true });
  });
});

it('signature covers the raw bytes', async () => {
  const body = '{"a":"é – 漢"}';
  const expected = createHmac('sha256', 'secret').update(Buffer.from(body, 'utf8')).digest('hex');
  expect(await signBody('secret', body)).toBe(`sha256=${expected}`);
});

describe('webhook retries', () => {
  it.each([
    [null, undefined],
    ['120', 120],
    ['0', 0],
    ['999999', 86_400],
    ['Tue, 14 Nov 2023 22:14:20 GMT', 60],
    ['Tue, 14 Nov 2023 22:12:20 GMT', 0],
    ['soon', undefined],
  ])('parse Retry-After: %s', (header, seconds) => {
    expect(parseRetryAfter(header, 1_700_000_000_000)).toBe(seconds);
  });
});

it.each([
  ['http://127.0.0.1/', 'not public'],
  ['http://[::1]:8080/', 'not public'],
  ['http://169.254.169.254/latest', 'not public'],
  ['http://localhost/', 'not public'],
  ['gopher://example.com/', 'http'],
])('rejects %s permanently', async (webhook_url, words) => {
  const delivery = { configuration: { webhook_url }, eventId: 'e', eventType: 'parse.success', body: '{}' };
  const attempt = await deliver({ ALLOW_PRIVATE_ADDRESSES: false }, delivery);
  expect(attempt).toMatchObject({
    outcome: 'refused',
    statusCode: null,
    error: expect.stringContaining(words),
  });
});

describe('webhook receiver', () => {
  const base = inject('loopback');
  const send = (path: string, more: Partial<WebhookConfiguration> = {}) =>
    deliver(
      { ALLOW_PRIVATE_ADDRESSES: true },
      {
        configuration: { webhook_url: base + path, ...more },
        eventId: 'e',
        eventType: 'parse.success',
        body: '{}',
      },
    );
  const seen = async (id: string): Promise<{ headers: Record<string, string> }[]> =>
    (await fetch(`${base}/seen?id=${id}`)).json();

  it.each([301, 302, 303, 307, 308])(
    'that redirects with %i fails the delivery, and the target is not called',
    async (status) => {
      const id = crypto.randomUUID();
      const to = encodeURIComponent(`${base}/ok?id=${id}`);
      expect(await send(`/redirect?status=${status}&to=${to}`)).toEqual({
        outcome: 'failed',
        statusCode: status,
        error: `The receiver answered ${status}`,
      });
      expect(await seen(id)).toEqual([]);
    },
  );

  it('gets body, signature and configured headers', async () => {
    const id = crypto.randomUUID();
    const configuration = { webhook_headers: { 'x-own': 'mine' }, webhook_signing_secret: 'secret' };
    expect(await send(`/ok?id=${id}`, configuration)).toEqual({ outcome: 'delivered', statusCode: 200 });
    expect(await seen(id)).toMatchObject([
      {
        method: 'POST',
        body: '{}',
        headers: {
          'x-own': 'mine',
          'content-type': 'application/json',
          'user-agent': 'Sluice-Webhooks/1.0',
          'x-webhook-event-id': 'e',
          'x-webhook-event-type': 'parse.success',
          'svc-signature': await signBody('secret', '{}'),
        },
      },
    ]);
  });

  it('gets the event headers even if configured headers have the same names', async () => {
    const id = crypto.randomUUID();
    const webhook_headers = { 'X-Webhook-Event-Id': 'other', 'Content-Type': 'text/plain' };
    await send(`/ok?id=${id}`, { webhook_headers });
    const { headers } = (await seen(id))[0]!;
    expect(headers).toMatchObject({ 'x-webhook-event-id': 'e', 'content-type': 'application/json' });
    expect(headers['svc-signature']).toBeUndefined();
  });

  it('is not called if a header cannot be sent, and the error hides the value', async () => {
    expect(await send('/ok', { webhook_headers: { 'x-own': 'Pl4nted\n日本' } })).toEqual({
      outcome: 'refused',
      statusCode: null,
      error: 'The webhook header "x-own" contains characters that cannot be sent.',
    });
  });

  it('gets an error of at most 500 characters', async () => {
    const attempt = await send('/ok', { webhook_headers: { [`x-${'long '.repeat(400)}`]: 'v' } });
    expect(attempt).toMatchObject({ error: expect.stringMatching(/^The webhook header "x-long/) });
    expect(attempt.outcome !== 'delivered' && attempt.error).toHaveLength(500);
  });

  it.each([
    ['/status?status=503&retry-after=60', { outcome: 'failed', statusCode: 503, retryAfter: 60 }],
    ['/status?status=404', { outcome: 'failed', statusCode: 404 }],
    ['/status?status=410', { outcome: 'refused', statusCode: 410 }],
    ['/bomb?size=20000000', { outcome: 'delivered', statusCode: 200 }],
    ['/silent-body', { outcome: 'delivered', statusCode: 200 }],
  ])('that answers %s is judged by its status', async (path, attempt) => {
    expect(await send(path)).toMatchObject(attempt);
  });

  it('that is unreachable can be retried', async () => {
    const configuration = { webhook_url: 'http://127.0.0.1:9/' };
    expect(await send('', configuration)).toMatchObject({ outcome: 'failed', statusCode: null });
  });

  describe('without answer', () => {
    afterEach(() => void vi.useRealTimers().restoreAllMocks());

    it('times out after 30 seconds', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
      const asked = Promise.withResolvers<void>();
      vi.spyOn(globalThis, 'fetch').mockImplementation(() => {
        asked.resolve();
        return new Promise(() => {});
      });
      let attempt: unknown;
      void send('/silent').then((result) => {
        attempt = result;
      });
      await asked.promise;
      await vi.advanceTimersByTimeAsync(29_999);
      expect(attempt).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(attempt).toMatchObject({
        outcome: 'failed',
        statusCode: null,
        error: expect.stringContaining('did not answer within 30 seconds'),
      });
    });
  });
});
