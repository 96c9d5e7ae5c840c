import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { deliver } from '#src/webhooks/deliver.ts';
import { MAX_RESULT_CHARACTERS, webhookBody } from '#src/webhooks/payload.ts';
import { signatureOf } from '#src/webhooks/signature.ts';

const facts = {
  eventId: 'e1',
  event: 'extract.success' as const,
  at: new Date(1_700_000_000_250),
  data: { id: 'ext-1', job_id: 'ext-1', status: 'COMPLETED' },
  result: { total: 7 },
};

describe('the payload', () => {
  it.each([
    [undefined, '{"total":7}'],
    [null, '{"total":7}'],
    ['string', '{"total":7}'],
    ['json', { total: 7 }],
  ] as const)('with format %s', (format, result) => {
    expect(JSON.parse(webhookBody(facts, format))).toEqual({
      event_id: 'e1',
      event_type: 'extract.success',
      timestamp: 1_700_000_000.25,
      data: { ...facts.data, result },
    });
  });

  it('has no result where there is none, and says so when it is too large', () => {
    const { result: _, ...without } = facts;
    expect(JSON.parse(webhookBody(without, 'json')).data).toEqual(facts.data);
    const large = { ...facts, result: 'x'.repeat(MAX_RESULT_CHARACTERS) };
    expect(JSON.parse(webhookBody(large, 'json')).data).toEqual({
      ...facts.data,
      result: null,
      result_omitted: true,
    });
  });
});

it('signs the raw bytes', async () => {
  const body = '{"a":"é – 漢"}';
  const expected = createHmac('sha256', 'secret').update(Buffer.from(body, 'utf8')).digest('hex');
  expect(await signatureOf('secret', body)).toBe(`sha256=${expected}`);
});

describe('retries', () => {
  it.each([
    [null, undefined],
    ['120', 120],
    ['0', 0],
    ['999999', 86_400],
    ['Tue, 14 Nov 2023 22:14:20 GMT', 60],
    ['Tue, 14 Nov 2023 22:12:20 GMT', 0],
    ['soon', undefined],
  ])('read Retry-After: %s', (header, seconds) => {
    expect(retryAfterOf(header, 1_700_000_000_000)).toBe(seconds);
  });
});

it.each([
  ['http://127.0.0.1/', 'not public'],
  ['http://[::1]:8080/', 'not public'],
  ['http://169.254.169.254/latest', 'not public'],
  ['http://localhost/', 'not public'],
  ['gopher://example.com/', 'http'],
])('refuses %s for good', async (webhook_url, words) => {
  const delivery = { configuration: { webhook_url }, eventId: 'e', eventType: 'parse.success', body: '{}' };
  const attempt = await deliver({ ALLOW_PRIVATE_ADDRESSES: false }, delivery);
  expect(attempt).toMatchObject({
    outcome: 'refused',
    statusCode: null,
    error: expect.stringContaining(words),
  });
});
