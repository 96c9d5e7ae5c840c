import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members, type Role, traces, users } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { clientOf } from '#test/support/configured.ts';
import {
  type Client,
  chat,
  listTraces,
  put,
  readTrace,
  retrieve,
  type Tenant,
  type Trace,
  traced,
} from './tracing.ts';

const db = openDatabase(env.DB);

async function join({ organizationId }: Tenant, role: Role): Promise<Client> {
  const userId = crypto.randomUUID();
  const key = `slc_${crypto.randomUUID()}`;
  await db.batch([
    db.insert(users).values({ id: userId }),
    db.insert(members).values({ organizationId, userId, name: role, role }),
    db.insert(apiKeys).values({
      ...{ id: crypto.randomUUID(), organizationId, userId, keyType: 'user', redacted: 'slc_…' },
      hash: await sha256(key),
    }),
  ]);
  return clientOf(key, {});
}

const rate = (client: Client, id: string, body: object) =>
  client<Trace>('PUT', `/api/v1/traces/${id}/feedback`, body);

describe('feedback', () => {
  it('rates a trace, is found by filters, and is removed with null', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const found = await retrieve(client, pipeline);
    const answered = await chat(client, pipeline);
    const rated = await rate(client, answered.messageId, { rating: 'down', comment: ' Wrong roof ' });
    expect(rated.body.feedback).toMatchObject({ rating: 'down', comment: 'Wrong roof' });
    const ids = async (query: string) => (await listTraces(client, query)).map(({ id }) => id);
    expect(await ids('?feedback=down')).toEqual([answered.messageId]);
    expect(await ids('?feedback=up')).toEqual([]);
    expect(await ids('?has_feedback=false')).toEqual([found.metadata.trace_id]);
    expect((await readTrace(client, answered.messageId)).details).not.toBeNull();
    expect((await rate(client, answered.messageId, { rating: null })).body.feedback).toBeNull();
    expect(await ids('?has_feedback=true')).toEqual([]);
    expect(await ids('')).toHaveLength(2);
    expect((await rate(client, answered.messageId, { rating: 'good' })).status).toBe(422);
  });

  it('is stored for an answer that was not recorded, and only for its reader', async () => {
    const { client, pipeline, tenant } = await traced({});
    const { messageId, metadata } = await chat(client, pipeline);
    expect(metadata.trace_id).toBeUndefined();
    const colleague = await join(tenant, 'admin');
    expect((await rate(colleague, messageId, { rating: 'up' })).status).toBe(404);
    expect((await rate(client, crypto.randomUUID(), { rating: 'up' })).status).toBe(404);
    expect((await rate(client, messageId, { rating: 'up' })).status).toBe(200);
    const trace = await readTrace(client, messageId);
    expect(trace).toMatchObject({
      kind: 'chat',
      details: null,
      feedback: { rating: 'up' },
      pipeline_id: pipeline,
    });
    await rate(client, messageId, { rating: null });
    expect(await listTraces(client)).toEqual([]);
  });

  it('stays when the trace of the answer is stored afterwards', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const { messageId } = await chat(client, pipeline);
    const [row] = await db.select().from(traces).where(eq(traces.id, messageId));
    await db.update(traces).set({ details: null }).where(eq(traces.id, messageId));
    await rate(client, messageId, { rating: 'up' });
    const { insertTrace } = await import('#src/services/traces/record.ts');
    expect(await insertTrace({ db } as never, row!)).toBe(true);
    expect(await readTrace(client, messageId)).toMatchObject({
      feedback: { rating: 'up' },
      details: { answer: { status: 'complete' } },
    });
  });
});

describe('access to traces', () => {
  it('lets admins see all traces, and others what they asked themselves', async () => {
    const { client, pipeline, tenant } = await traced({ sample_rate: 1 });
    const viewer = await join(tenant, 'viewer');
    const own = (await retrieve(viewer, pipeline)).metadata.trace_id!;
    const other = (await retrieve(client, pipeline)).metadata.trace_id!;
    expect((await listTraces(client)).map(({ id }) => id).toSorted()).toEqual([own, other].toSorted());
    expect((await listTraces(viewer)).map(({ id }) => id)).toEqual([own]);
    expect((await viewer('GET', `/api/v1/traces/${own}`)).status).toBe(200);
    expect((await viewer('GET', `/api/v1/traces/${other}`)).status).toBe(404);
    expect((await rate(viewer, own, { rating: 'up' })).status).toBe(200);
    expect((await rate(viewer, other, { rating: 'up' })).status).toBe(404);
    const stranger = await traced({});
    expect((await stranger.client('GET', `/api/v1/traces/${own}`)).status).toBe(404);
    expect((await stranger.client('DELETE', `/api/v1/traces/${own}`)).status).toBe(404);
    const member = await join(tenant, 'member');
    expect((await member('DELETE', '/api/v1/traces?all=true')).body).toEqual({ deleted: 0 });
  });

  it('lets only admins change the settings', async () => {
    const { client, tenant } = await traced({});
    const path = '/api/v1/traces/settings';
    for (const role of ['member', 'viewer'] as const) {
      const other = await join(tenant, role);
      expect((await other('GET', path)).status).toBe(200);
      expect((await other('PUT', path, { sample_rate: 1 })).status).toBe(403);
    }
    for (const body of [{ sample_rate: 1.1 }, { retention_days: 0 }, { redact_where: { filters: [{}] } }])
      expect((await client('PUT', path, body)).status).toBe(422);
    await put(client, path, { sample_rate: 0.5, retention_days: 7 });
    expect((await client('GET', path)).body).toMatchObject({ sample_rate: 0.5, retention_days: 7 });
  });
});
