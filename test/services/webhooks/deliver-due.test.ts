import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { MAX_DELIVERY_ATTEMPTS, MAX_STARTS } from '#src/work/backoff.ts';
import { createTenant } from '#test/support/tenants.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const real = createContext(env, execution);
// Skips the address lookup of the receiver, which has its own test.
const ctx = { ...real, settings: { ...real.settings, ALLOW_PRIVATE_ADDRESSES: true } };
const start = async () => 1;
/** A URL that only this file uses. */
const RECEIVER = 'https://due.hooks.example/';

afterEach(() => void vi.restoreAllMocks());

/** Creates due deliveries to one endpoint in this order. `read` returns their current state. */
async function createDeliveries(eventTypes: string[], columns: (n: number) => object = () => ({})) {
  const { projectId } = await createTenant();
  const jobId = `ext-${crypto.randomUUID()}`;
  const now = new Date();
  const rows = eventTypes.map((eventType, n) => ({
    id: crypto.randomUUID(),
    projectId,
    jobId,
    eventId: crypto.randomUUID(),
    endpoint: 'one',
    sequence: n + 1,
    eventType,
    configuration: { webhook_url: RECEIVER },
    body: '{}',
    createdAt: now,
    updatedAt: now,
    ...columns(n),
  }));
  await ctx.db.insert(webhookDeliveries).values(rows as never);
  const read = async () =>
    (
      await ctx.db.query.webhookDeliveries.findMany({
        where: (row, { eq }) => eq(row.jobId, jobId),
        orderBy: (row, { asc }) => asc(row.sequence),
      })
    ).map(({ status, attempts, lastError, lastStatusCode, nextAttemptAt }) => ({
      status,
      attempts,
      lastError,
      lastStatusCode,
      nextAttemptAt,
    }));
  return { jobId, ids: rows.map(({ id }) => id), read };
}

/**
 * Stubs a receiver with these answers, and returns the requests it received. Requests to other hosts are
 * ignored.
 */
function receiver(...answers: Response[]) {
  return receiverThat(() => answers.shift()!);
}

function receiverThat(answers: (url: string) => Response): RequestInit[] {
  const sent: RequestInit[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    if (!String(input).startsWith(RECEIVER)) return new Response();
    sent.push(init as RequestInit);
    return answers(String(input));
  });
  return sent;
}

it('does not deliver an event while the one before it fails', async () => {
  const { jobId, read } = await createDeliveries(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 500 }));
  const before = Date.now();
  const next = await deliverDue(ctx, jobId, start);
  expect(fetched).toHaveLength(1);
  expect(await read()).toMatchObject([
    { status: 'pending', attempts: 1 },
    { status: 'pending', attempts: 0, nextAttemptAt: null },
  ]);
  expect(next).toBeGreaterThanOrEqual(before + 4_000);
});

it('delivers due events in order', async () => {
  const { jobId, read } = await createDeliveries(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 204 }), new Response(null, { status: 200 }));
  expect(await deliverDue(ctx, jobId, start)).toBeNull();
  expect(await read()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
  const kinds = fetched.map(({ headers }) => new Headers(headers).get('x-webhook-event-type'));
  expect(kinds).toEqual(['extract.pending', 'extract.success']);
});

it('waits as long as the receiver requests', async () => {
  const { jobId, read } = await createDeliveries(['extract.success']);
  receiver(new Response(null, { status: 503, headers: { 'retry-after': '3600' } }));
  const before = Date.now();
  expect(await deliverDue(ctx, jobId, start)).toBeGreaterThanOrEqual(before + 3_600_000);
  const [{ nextAttemptAt } = { nextAttemptAt: null }] = await read();
  expect(nextAttemptAt!.getTime()).toBeGreaterThanOrEqual(before + 3_599_000);
});

it('marks a delivery dead if its starts never ended, and continues with the next one', async () => {
  const { jobId, ids, read } = await createDeliveries(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 204 }));
  const starts = async (id: string) => (id === ids[0] ? MAX_STARTS + 1 : 1);
  expect(await deliverDue(ctx, jobId, starts)).toBeNull();
  expect(fetched).toHaveLength(1);
  const [first, second] = await read();
  expect(first).toMatchObject({ status: 'dead', lastError: expect.stringContaining('never ended') });
  expect(second).toMatchObject({ status: 'delivered' });
});

it('makes the last allowed start of a delivery', async () => {
  const { jobId, read } = await createDeliveries(['extract.success']);
  receiver(new Response(null, { status: 204 }));
  expect(await deliverDue(ctx, jobId, async () => MAX_STARTS)).toBeNull();
  expect(await read()).toMatchObject([{ status: 'delivered' }]);
});

it('delivers nothing once the lease is lost', async () => {
  const { jobId, read } = await createDeliveries(['extract.success']);
  const fetched = receiver();
  await deliverDue(ctx, jobId, async () => undefined);
  expect(fetched).toEqual([]);
  expect(await read()).toMatchObject([{ status: 'pending', attempts: 0 }]);
});

it('delivers to endpoints independently, and is due again at the earliest retry', async () => {
  const waits = ['3600', '60'];
  const { jobId, read } = await createDeliveries(['parse.error', 'parse.error'], (n) => ({
    endpoint: `endpoint ${n}`,
    configuration: { webhook_url: `${RECEIVER}${n}` },
  }));
  const fetched = receiverThat((url) => {
    const wait = waits[Number(url.at(-1))]!;
    return new Response(null, { status: 503, headers: { 'retry-after': wait } });
  });
  const before = Date.now();
  const next = (await deliverDue(ctx, jobId, start))! - before;
  expect(fetched).toHaveLength(2);
  expect([next >= 60_000, next < 3_600_000]).toEqual([true, true]);
  expect(await read()).toMatchObject([
    { status: 'pending', lastStatusCode: 503, lastError: 'The receiver answered 503' },
    { status: 'pending', lastStatusCode: 503 },
  ]);
});

it('follows the sequence of the events, not the order of the rows', async () => {
  const { jobId } = await createDeliveries(['second', 'third', 'first'], (n) => ({ sequence: [2, 3, 1][n] }));
  const fetched = receiver(...[1, 2, 3].map(() => new Response()));
  await deliverDue(ctx, jobId, start);
  const kinds = fetched.map(({ headers }) => new Headers(headers).get('x-webhook-event-type'));
  expect(kinds).toEqual(['first', 'second', 'third']);
});

it('delivers nothing early, nothing of another job, and nothing that has ended', async () => {
  const dueAt = Math.trunc(Date.now() / 1000) * 1000 + 60_000;
  const { jobId } = await createDeliveries(['extract.success'], () => ({ nextAttemptAt: new Date(dueAt) }));
  await createDeliveries(['extract.success']);
  const over = await createDeliveries(['a', 'b'], (n) => ({ status: ['dead', 'delivered'][n] }));
  const fetched = receiver();
  expect(await deliverDue(ctx, jobId, start)).toBe(dueAt);
  expect(await deliverDue(ctx, over.jobId, start)).toBeNull();
  expect(fetched).toEqual([]);
});

it.each([
  ['tries once more while it may', MAX_DELIVERY_ATTEMPTS - 2, 500, 'pending'],
  ['gives a receiver up that fails too often', MAX_DELIVERY_ATTEMPTS - 1, 500, 'dead'],
  ['gives a receiver up at once that wants no more', 0, 410, 'dead'],
])('%s', async (_title, attempts, status, outcome) => {
  const { jobId, read } = await createDeliveries(['extract.success'], () => ({ attempts }));
  receiver(new Response(null, { status }));
  const next = await deliverDue(ctx, jobId, start);
  const [row] = await read();
  expect(row).toMatchObject({ status: outcome, attempts: attempts + 1, lastStatusCode: status });
  expect([next === null, row?.nextAttemptAt === null]).toEqual(
    outcome === 'dead' ? [true, true] : [false, false],
  );
});

it('clears earlier errors after a successful delivery', async () => {
  const { jobId, read } = await createDeliveries(['extract.success'], () => ({
    attempts: 1,
    lastError: 'The receiver answered 500',
    lastStatusCode: 500,
    nextAttemptAt: new Date(Date.now() - 1),
  }));
  receiver(new Response(null, { status: 204 }));
  expect(await deliverDue(ctx, jobId, start)).toBeNull();
  expect(await read()).toEqual([
    { status: 'delivered', attempts: 2, lastError: null, lastStatusCode: 204, nextAttemptAt: null },
  ]);
});

it('retries later if the encryption key is missing', async () => {
  const { jobId, read } = await createDeliveries(['extract.success'], () => ({
    configuration: {
      webhook_url: RECEIVER,
      webhook_signing_secret: `sealed:v1:gone:${'A'.repeat(16)}:${'A'.repeat(22)}`,
    },
  }));
  const fetched = receiver();
  expect(await deliverDue(ctx, jobId, start)).toBeGreaterThan(Date.now());
  expect(fetched).toEqual([]);
  expect(await read()).toMatchObject([
    { status: 'pending', attempts: 1, lastError: expect.stringContaining('encryption key is missing') },
  ]);
});

it('is due again immediately if the lease is lost', async () => {
  const { jobId } = await createDeliveries(['extract.success']);
  const before = Date.now();
  const next = (await deliverDue(ctx, jobId, async () => undefined))!;
  expect(next >= before && next <= Date.now()).toBe(true);
});
