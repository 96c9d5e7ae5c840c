import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import type { JobStatus } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import { markRunning, settleJob } from '#src/services/jobs/transitions.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import type { WebhookEvent } from '#src/webhook-protocol/configuration.ts';
import { insertJob, valuesOf } from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

const ctx = createContext(env, { waitUntil() {} });
let projectId: string;

beforeEach(async () => {
  projectId = (await createTenant()).projectId;
});

const endpoint = (webhook_events: WebhookEvent[] | null) => ({
  webhook_url: 'https://hooks.example/',
  webhook_events,
});

async function insert(status: JobStatus, attempt: number, endpoints = [endpoint(null)]): Promise<string> {
  const id = newId('pjb');
  const webhookConfigurations = (await sealJobWebhooks(ctx, id, endpoints)) as Record<string, unknown>[];
  const row = { id, status, attempt, webhookConfigurations, finishedAt: null };
  return insertJob('parse', projectId, row);
}

const eventsOf = async (id: string) =>
  (await valuesOf('webhook_deliveries', 'event_type', `job_id = '${id}'`)).toSorted();
const complete = (id: string, attempt: number) =>
  settleJob(ctx, 'parse', id, { status: 'COMPLETED', attempt });

describe('an event of a job', () => {
  it('is stored for the endpoints that subscribe to it', async () => {
    const id = await insert('RUNNING', 1, [
      endpoint(['parse.success']),
      endpoint(['parse.error', 'parse.running']),
      endpoint(null),
    ]);
    await complete(id, 1);
    const endpoints = await valuesOf('webhook_deliveries', 'endpoint', `job_id = '${id}'`);
    expect(endpoints.toSorted()).toEqual(['0', '2']);
    expect(await eventsOf(id)).toEqual(['parse.success', 'parse.success']);
  });

  it.each<[string, JobStatus, number]>([
    ['of a later attempt', 'RUNNING', 2],
    ['that was cancelled', 'CANCELLED', 1],
    ['that has failed', 'FAILED', 1],
  ])('is not stored if the end does not belong to the job: one %s', async (_, status, attempt) => {
    const id = await insert(status, attempt);
    expect((await complete(id, 1)).settled).toBe(false);
    expect(await eventsOf(id)).toEqual([]);
  });

  it.each<JobStatus>(['COMPLETED', 'CANCELLED', 'FAILED'])(
    'does not tell of a start after %s',
    async (status) => {
      const id = await insert(status, 1);
      await markRunning(ctx, 'parse', id, 2);
      expect(await eventsOf(id)).toEqual([]);
    },
  );

  it('is stored once, however often the job starts and ends', async () => {
    const id = await insert('PENDING', 0);
    await markRunning(ctx, 'parse', id, 1);
    await markRunning(ctx, 'parse', id, 2);
    await complete(id, 2);
    await complete(id, 2);
    expect(await eventsOf(id)).toEqual(['parse.running', 'parse.success']);
  });

  it('is stored for its own job alone', async () => {
    const [id, other] = [await insert('RUNNING', 1), await insert('RUNNING', 1)];
    await complete(id, 1);
    expect([await eventsOf(id), await eventsOf(other)]).toEqual([['parse.success'], []]);
  });
});
