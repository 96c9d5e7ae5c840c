import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { recordFailure } from '#src/services/audit/record-failure.ts';
import { createTenant } from '#test/support/tenants.ts';

let organizationId: string;

beforeEach(async () => {
  organizationId = (await createTenant()).organizationId;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a context with its own settings, like an isolate of its own. */
const createIsolate = () => createContext({ ...env }, { waitUntil() {} });

const fail = (address: string, ctx = createIsolate(), operation = 'signIn') =>
  recordFailure(ctx, { organizationId, operation, requestId: crypto.randomUUID() }, address);

const countEvents = () =>
  env.DB.prepare("select count(*) as n from audit_events where organization_id = ? and outcome = 'failure'")
    .bind(organizationId)
    .first<number>('n');

it('stores one event for all failures of an address in a minute, in every isolate', async () => {
  const isolate = createIsolate();
  for (let attempt = 0; attempt < 5; attempt += 1) await fail('192.0.2.1', isolate);
  await fail('192.0.2.1');
  expect(await countEvents()).toBe(1);
  vi.setSystemTime(Date.now() + 60_000);
  await fail('192.0.2.1', isolate);
  expect(await countEvents()).toBe(2);
  await fail('192.0.2.1', isolate, 'signInWithProvider');
  expect(await countEvents()).toBe(3);
});

it('stores a bounded number of events for any number of addresses', async () => {
  const isolates = [createIsolate(), createIsolate()];
  for (let address = 0; address < 120; address += 1) await fail(`192.0.2.${address}`, isolates[address % 2]);
  expect(await countEvents()).toBeGreaterThan(1);
  expect(await countEvents()).toBeLessThanOrEqual(10);
});
