import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { deliverWebhook } from '#queues/deliver-webhook.ts';
import { createContext } from '#src/context/context.ts';
import type { JobOwner } from '#src/work/job-owner.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };

it('releases the delivery lease with a later due time if the database is unavailable', async () => {
  const releaseDeliveries = vi.fn(async (_consumer: string, _nextAt: number | null) => {});
  const owner: Partial<JobOwner> = { claimDeliveries: async () => true, releaseDeliveries };
  const real = createContext(env, execution);
  const ctx = {
    ...real,
    objects: { ...real.objects, jobState: () => owner as JobOwner },
    get db(): never {
      throw new Error('the database is away');
    },
  };
  const before = Date.now();
  await deliverWebhook(ctx, { type: 'deliver-webhook', jobId: 'ext-1' });
  expect(releaseDeliveries).toHaveBeenCalledTimes(1);
  expect(releaseDeliveries.mock.calls[0]?.[1]).toBeGreaterThan(before);
});
