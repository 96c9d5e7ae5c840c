import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { UpstreamRules } from '#src/upstream/http.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';
import { caught, left, newId, open, path, seen } from './http-client.ts';

const letPass = useFakeClock();

/** Maximum number of requests with which a test asks the server what it has received. */
const MOST_LOOKS = 10_000;

/** Lets time pass in steps of a second until the work has ended. */
async function whileTimePasses<Value>(work: Promise<Value>): Promise<Value> {
  let hasEnded = false;
  const ended = work.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await letPass(1_000);
  return ended;
}

/** Waits until the server has received a request with this id. Time stands still meanwhile. */
async function untilSeen(id: string): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) if ((await seen(id)).length > 0) return;
  throw new Error('the server received no request');
}

/**
 * Requests a path and returns the error of the call. Time stands still until the server has received the request and,
 * for a path that answers, until the headers have arrived. The speed of the machine therefore does not matter.
 */
async function failBySilence(way: string, id: string, rules: Partial<UpstreamRules>): Promise<Upstream> {
  const http = open(rules);
  const answer = http.fetch(path(way, { id }));
  if (way !== 'silent') return whileTimePasses(caught(http.text(await answer)));
  const failure = caught(answer);
  await untilSeen(id);
  return whileTimePasses(failure);
}

describe('call without complete response', () => {
  it.each<[string, string, Partial<UpstreamRules>, RegExp]>([
    ['silence before the headers', 'silent', { silenceSeconds: 5 }, /did not answer within 5 seconds/],
    [
      'silence inside the body',
      'silent-body',
      { silenceSeconds: 5 },
      /did not finish its answer: no data arrived for 5 s/,
    ],
    [
      'a body that drips on',
      'drip',
      { totalSeconds: 5 },
      /did not finish its answer: it took longer than allowed/,
    ],
  ])('fails on %s with a retryable error', async (_what, way, rules, words) => {
    const error = await failBySilence(way, newId(), rules);
    expect(error).toBeInstanceOf(Upstream);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/^The store /);
    expect(error.retryable).toBe(true);
  });
});

describe('connection', () => {
  it.each<[string, string, Partial<UpstreamRules>]>([
    ['is silent before the headers', 'silent', { silenceSeconds: 5 }],
    ['is silent inside the body', 'silent-body', { silenceSeconds: 5 }],
    ['drips for too long', 'drip', { totalSeconds: 5 }],
  ])('is closed if the server %s', async (_what, way, rules) => {
    const id = newId();
    await failBySilence(way, id, rules);
    expect(await left(id)).toBe('it left');
  });

  it('is closed after the beginning of an endless error response', async () => {
    const id = newId();
    const http = open();
    const response = await http.fetch(path('drip', { id, status: 503 }));
    const failure = await whileTimePasses(http.failure(response, 'a list'));
    expect(failure.retryable).toBe(true);
    expect(await left(id)).toBe('it left');
  });
});
