import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import {
  createWebhookConfig,
  getSavedWebhooks,
  getWebhookConfig,
  getWebhookConfigPage,
  toWebhookView,
  updateWebhookConfig,
} from '#src/services/webhooks/configs.ts';
import {
  getDeliveryPage,
  hasPendingDeliveries,
  replayDelivery,
  sendTestEvent,
} from '#src/services/webhooks/deliveries.ts';
import { openDelivery } from '#src/services/webhooks/secrets.ts';
import { createTenant } from '#test/support/tenants.ts';

const real = createContext(env, { waitUntil() {} } as never);

/** Creates a tenant whose job owners only record that they were notified. */
async function tenant() {
  const { key } = await createTenant();
  const told: string[] = [];
  const jobState = (jobId: string) => ({ notify: async (of: string) => told.push(`${jobId} ${of}`) });
  const ctx = { ...real, objects: { ...real.objects, jobState } } as unknown as typeof real;
  const scope = await resolveScope(ctx, (await findKeyActor(real, key))!, {});
  const add = async (columns: Partial<typeof webhookDeliveries.$inferInsert>) => {
    const id = crypto.randomUUID();
    await real.db.insert(webhookDeliveries).values({
      id,
      projectId: scope.projectId,
      jobId: 'job',
      eventId: `event of ${id}`,
      endpoint: 'one',
      sequence: 1,
      eventType: 'parse.success',
      configuration: { webhook_url: 'https://h.example/' },
      body: '{"a":1}',
      ...columns,
    });
    return id;
  };
  return { scope, told, add };
}

describe('the log of deliveries', () => {
  it('lists the deliveries of the project, newest first, by status and by job', async () => {
    const [{ scope, add }, other] = [await tenant(), await tenant()];
    const at = (n: number) => new Date(Date.UTC(2026, 0, n));
    const first = await add({ createdAt: at(1), status: 'dead' });
    const second = await add({ createdAt: at(2), jobId: 'other job' });
    const third = await add({ createdAt: at(3), status: 'delivered' });
    await other.add({ createdAt: at(2) });
    const list = async (query: Parameters<typeof getDeliveryPage>[1]) => {
      const { items, next_page_token } = await getDeliveryPage(scope, query);
      return { ids: items.map(({ id }) => id), next: next_page_token };
    };
    expect(await list({})).toEqual({ ids: [third, second, first], next: null });
    expect((await list({ status: 'pending' })).ids).toEqual([second]);
    expect((await list({ status: 'dead', job_id: 'job' })).ids).toEqual([first]);
    expect((await list({ job_id: 'job' })).ids).toEqual([third, first]);
    const page = await list({ page_size: 2 });
    expect(page.ids).toEqual([third, second]);
    expect(await list({ page_size: 2, page_token: page.next })).toEqual({ ids: [first], next: null });
  });

  it('hasPendingDeliveries tells whether a job has deliveries left', async () => {
    const { add } = await tenant();
    const [ended, open] = [crypto.randomUUID(), crypto.randomUUID()];
    await add({ jobId: ended, status: 'dead' });
    await add({ jobId: ended, status: 'delivered' });
    await add({ jobId: open });
    const pending = (jobId: string) => hasPendingDeliveries(real, jobId);
    expect([await pending(ended), await pending(open), await pending('none')]).toEqual([false, true, false]);
  });
});

describe('a replay', () => {
  it('resends the same event with the attempts reset', async () => {
    const { scope, add, told } = await tenant();
    const id = await add({ status: 'dead', attempts: 9, nextAttemptAt: new Date(), lastError: 'e' });
    const bystander = await add({ status: 'dead', attempts: 9 });
    expect(await replayDelivery(scope, id)).toMatchObject({
      id,
      eventId: `event of ${id}`,
      body: '{"a":1}',
      status: 'pending',
      attempts: 0,
      nextAttemptAt: null,
    });
    expect(told).toEqual(['job job']);
    const row = await real.db.query.webhookDeliveries.findFirst({
      where: eq(webhookDeliveries.id, bystander),
    });
    expect(row).toMatchObject({ status: 'dead', attempts: 9 });
    await expect(replayDelivery(scope, id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a test event', () => {
  it.each([
    ['json', { message: 'This is a test.' }],
    [null, '{"message":"This is a test."}'],
  ] as const)('is sent without a job in the format %j', async (webhook_output_format, result) => {
    const { scope, told } = await tenant();
    const configuration = {
      webhook_url: 'https://h.example/',
      webhook_events: ['extract.success' as const],
      webhook_signing_secret: 'Pl4nted',
      webhook_output_format,
    };
    const { id: configId } = await createWebhookConfig(scope, configuration);
    const row = await sendTestEvent(scope, configId);
    const jobId = `test-${row.id}`;
    expect(row).toMatchObject({
      jobId,
      endpoint: configId,
      sequence: 1,
      eventType: 'webhook.test',
      status: 'pending',
    });
    expect(JSON.parse(row.body)).toEqual({
      event_id: row.eventId,
      event_type: 'webhook.test',
      timestamp: row.createdAt.getTime() / 1000,
      data: { id: jobId, job_id: jobId, test: true, project_id: scope.projectId, result },
    });
    expect(told).toEqual([`${jobId} ${jobId}`]);
    expect(JSON.stringify(row)).not.toContain('Pl4nted');
    expect(await openDelivery(real, row.id, row.configuration)).toMatchObject(configuration);
  });
});

describe('saved webhook endpoints', () => {
  const url = { webhook_url: 'https://h.example/' };

  it('keep fields that an update omits, and clear fields that are null', async () => {
    const { scope } = await tenant();
    const { id } = await createWebhookConfig(scope, { ...url, webhook_events: ['parse.error'] });
    const bystander = await createWebhookConfig(scope, url);
    const shown = async (changes: object) =>
      toWebhookView((await updateWebhookConfig(scope, id, changes)).configuration);
    const none = { webhook_headers: null, webhook_output_format: null, has_secret: false };
    expect(await shown({ webhook_events: undefined })).toEqual({
      ...url,
      ...none,
      webhook_events: ['parse.error'],
    });
    expect(await shown({ webhook_url: null, webhook_events: null, webhook_signing_secret: 's' })).toEqual({
      ...url,
      ...none,
      webhook_events: null,
      has_secret: true,
    });
    await expect(updateWebhookConfig(scope, id, { webhook_events: [] })).rejects.toMatchObject({
      code: 'invalid',
    });
    const other = await getWebhookConfig(scope, bystander.id);
    expect(toWebhookView(other.configuration)).toEqual({ ...url, ...none, webhook_events: null });
  });

  it('with equal settings are updated separately', async () => {
    const { scope } = await tenant();
    const [one, other] = [await createWebhookConfig(scope, url), await createWebhookConfig(scope, url)];
    await updateWebhookConfig(scope, one.id, { webhook_url: 'https://new.example/' });
    const addresses = [one, other].map(
      async ({ id }) => (await getSavedWebhooks(scope, [id]))[0]?.webhook_url,
    );
    expect(await Promise.all(addresses)).toEqual(['https://new.example/', url.webhook_url]);
  });

  it('are listed newest first, each on one page, even if created at the same time', async () => {
    const { scope } = await tenant();
    vi.useFakeTimers({ toFake: ['Date'] });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await createWebhookConfig(scope, url)).id);
    vi.useRealTimers();
    const listed: string[] = [];
    for (let token: string | null | undefined; token !== null; ) {
      const page = await getWebhookConfigPage(scope, { page_size: 1, page_token: token });
      expect(page.items).toHaveLength(1);
      listed.push(page.items[0]!.id);
      token = page.next_page_token;
    }
    expect(listed).toEqual(ids.toReversed());
  });

  it('are found by id with or without the prefix, only in their project', async () => {
    const [{ scope }, other] = [await tenant(), await tenant()];
    const { id } = await createWebhookConfig(scope, { ...url, webhook_signing_secret: 's' });
    expect(await getSavedWebhooks(scope, [id, id])).toEqual([{ ...url, webhook_signing_secret: 's' }]);
    expect((await getWebhookConfig(scope, id.replace('whk-', ''))).id).toBe(id);
    for (const [ctx, wanted] of [
      [scope, 'whk-none'],
      [other.scope, id],
    ] as const) {
      await expect(getSavedWebhooks(ctx, [wanted])).rejects.toThrow(
        `webhook configuration ${wanted} not found`,
      );
    }
  });
});
