import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { createContext } from '#src/context.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { MAX_STARTS } from '#src/work/backoff.ts';
import { createTenant } from '#test/support/tenants.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const real = createContext(env, execution);
// Without the look-up of the receiver's address, which is tested by itself.
const ctx = { ...real, settings: { ...real.settings, ALLOW_PRIVATE_ADDRESSES: true } };
const start = async () => 1;

afterEach(() => void vi.restoreAllMocks());

/** Deliveries that are due, to one endpoint, in this order; what each is by now. */
async function deliveriesOf(eventTypes: string[]) {
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
    configuration: { webhook_url: 'https://hooks.example/' },
    body: '{}',
    createdAt: now,
    updatedAt: now,
  }));
  await ctx.db.insert(webhookDeliveries).values(rows as never);
  const read = async () =>
    (
      await ctx.db.query.webhookDeliveries.findMany({
        where: (row, { eq }) => eq(row.jobId, jobId),
        orderBy: (row, { asc }) => asc(row.sequence),
      })
    ).map(({ status, attempts, lastError, nextAttemptAt }) => ({
      status,
      attempts,
      lastError,
      nextAttemptAt,
    }));
  return { jobId, ids: rows.map(({ id }) => id), read };
}

/** A receiver that answers thus, one request after the other. */
function receiver(...answers: Response[]) {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answers.shift()!);
}

it('holds a due event back while the one before it fails', async () => {
  const { jobId, read } = await deliveriesOf(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 500 }));
  const before = Date.now();
  const next = await deliverDue(ctx, jobId, start);
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(await read()).toMatchObject([
    { status: 'pending', attempts: 1 },
    { status: 'pending', attempts: 0, nextAttemptAt: null },
  ]);
  expect(next).toBeGreaterThanOrEqual(before + 4_000);
});

it('delivers in order what is due once that succeeds', async () => {
  const { jobId, read } = await deliveriesOf(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 204 }), new Response(null, { status: 200 }));
  expect(await deliverDue(ctx, jobId, start)).toBeNull();
  expect(await read()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
  const kinds = fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get('x-webhook-event-type'));
  expect(kinds).toEqual(['extract.pending', 'extract.success']);
});

it('waits as long as the receiver asks for', async () => {
  const { jobId, read } = await deliveriesOf(['extract.success']);
  receiver(new Response(null, { status: 503, headers: { 'retry-after': '3600' } }));
  const before = Date.now();
  expect(await deliverDue(ctx, jobId, start)).toBeGreaterThanOrEqual(before + 3_600_000);
  const [{ nextAttemptAt } = { nextAttemptAt: null }] = await read();
  expect(nextAttemptAt!.getTime()).toBeGreaterThanOrEqual(before + 3_599_000);
});

it('gives a delivery up whose starts never ended, without another, and goes on with the next', async () => {
  const { jobId, ids, read } = await deliveriesOf(['extract.pending', 'extract.success']);
  const fetched = receiver(new Response(null, { status: 204 }));
  const starts = async (id: string) => (id === ids[0] ? MAX_STARTS + 1 : 1);
  expect(await deliverDue(ctx, jobId, starts)).toBeNull();
  expect(fetched).toHaveBeenCalledTimes(1);
  const [first, second] = await read();
  expect(first).toMatchObject({ status: 'dead', lastError: expect.stringContaining('never ended') });
  expect(second).toMatchObject({ status: 'delivered' });
});

it('makes none once the turn is lost', async () => {
  const { jobId, read } = await deliveriesOf(['extract.success']);
  const fetched = receiver();
  await deliverDue(ctx, jobId, async () => undefined);
  expect(fetched).not.toHaveBeenCalled();
  expect(await read()).toMatchObject([{ status: 'pending', attempts: 0 }]);
});
