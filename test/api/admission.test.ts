import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createApp } from '#src/app.ts';
import type { Bindings } from '#src/settings/env.ts';
import { BASE } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const app = createApp();

/** Starts the service with these settings. Its queue and its accepted keys are its own. */
function start(settings: Record<string, string>) {
  const bindings = { ...env, ...settings } as Bindings;
  return async (path: string, key: string, init: RequestInit = {}): Promise<Response> => {
    const execution = createExecutionContext();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await app.fetch(new Request(BASE + path, { headers, ...init }), bindings, execution);
    const whole = new Response(await answer.arrayBuffer(), answer);
    await waitOnExecutionContext(execution);
    return whole;
  };
}

const LIST = '/api/v1/pipelines';

/** Sends many requests of one tenant and then one of another. Returns how many were answered before the last one. */
async function countOvertaking(settings: Record<string, string>, flood: number): Promise<number> {
  const ask = start(settings);
  const [{ key: heavy }, { key: light }] = await Promise.all([createTenant(), createTenant()]);
  // Keys that the service has accepted before have a turn of their own.
  await ask(LIST, heavy);
  await ask(LIST, light);
  let answered = 0;
  const others = Array.from({ length: flood }, async () => {
    expect((await ask(LIST, heavy)).status).toBe(200);
    answered += 1;
  });
  const last = ask(LIST, light).then(({ status }) => {
    expect(status).toBe(200);
    return answered;
  });
  await Promise.all(others);
  return last;
}

it('answers a caller soon while another one sends many requests', async () => {
  const withQueue = await countOvertaking({ REQUESTS_IN_FLIGHT: '2' }, 80);
  const without = await countOvertaking({ REQUESTS_IN_FLIGHT: '0' }, 80);
  expect(withQueue).toBeLessThan(without / 2);
});

it('answers 503 with Retry-After when the queue is full, but never to observers', async () => {
  const ask = start({ REQUESTS_IN_FLIGHT: '1', REQUESTS_WAITING: '1' });
  const { key } = await createTenant();
  const operator = 'slc_bootstrap_key_of_the_tests_000';
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, () => ask(LIST, key)),
    ask('/metrics', operator),
    ask('/health/live', key),
  ]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.slice(8)).toEqual([200, 200]);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const refused = answers.find(({ status }) => status === 503)!;
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({ code: 'unavailable', retryable: true });
  // The permits were given back.
  expect((await ask(LIST, key)).status).toBe(200);
  expect(await (await ask('/metrics', operator)).text()).toContain('sluice_waiting_requests_total');
});

it('answers 503 with Retry-After when a request waits too long', async () => {
  const ask = start({ REQUESTS_IN_FLIGHT: '1', REQUEST_WAIT_SECONDS: '0.001' });
  const { key } = await createTenant();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(LIST, key)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  for (const refused of answers.filter(({ status }) => status === 503)) {
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({
      detail: 'Too many requests are waiting. Send the request again later.',
      retryable: true,
    });
  }
});

it('does not wait for a client that sends its body slowly', async () => {
  const ask = start({ REQUESTS_IN_FLIGHT: '1', REQUEST_WAIT_SECONDS: '0.5' });
  const { key } = await createTenant();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const slow = ask(LIST, key, { method: 'POST', body: body.readable });
  expect((await ask(LIST, key)).status).toBe(200);
  const writer = body.writable.getWriter();
  await writer.write(new TextEncoder().encode('{"name":"slow"}'));
  await writer.close();
  expect((await slow).status).toBe(200);
});
