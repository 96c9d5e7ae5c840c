import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { findTarget, findTargetByKey } from '#src/retrieval/find-target.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const ask = (pipelineId: string, key: string | null) =>
  call('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, { key, body: { query: 'How deep is the quay?' } });

async function makePipeline(key: string, rest: object = {}): Promise<string> {
  const body = { name: crypto.randomUUID(), ...rest };
  return (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body })).body.id;
}

describe('the combined lookup of key and pipeline', () => {
  it('uses the current state of the key and the pipeline', async () => {
    const { key } = await createTenant();
    const pipelineId = await makePipeline(key);
    const made = await call<{ id: string; redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { name: 'reader' },
    });
    const reader = made.body.redacted_api_key;
    expect((await ask(pipelineId, reader)).status).toBe(200);
    expect((await call('DELETE', `/api/v1/api-keys/${made.body.id}`, { key })).status).toBe(204);
    expect((await ask(pipelineId, reader)).status).toBe(401);
    expect((await ask(pipelineId, 'slc_wrong')).status).toBe(401);
    expect((await ask(pipelineId, null)).status).toBe(401);

    expect((await call('DELETE', `/api/v1/pipelines/${pipelineId}`, { key })).status).toBe(204);
    expect([404, 409]).toContain((await ask(pipelineId, key)).status);
    expect((await ask(crypto.randomUUID(), key)).status).toBe(404);
  });

  it('hides pipelines of other tenants, and rejects expired keys', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant({ scoped: true })];
    const expired = await createTenant({ expiresAt: new Date(Date.now() - 1000) });
    const pipelineId = await makePipeline(mine.key);
    expect((await ask(pipelineId, theirs.key)).status).toBe(404);
    expect((await ask(await makePipeline(theirs.key), theirs.key)).status).toBe(200);
    expect((await ask(pipelineId, expired.key)).status).toBe(401);
  });

  it('finds the same as separate lookups, also for a playground', async () => {
    const { key } = await createTenant();
    const managed = await makePipeline(key);
    const playground = await makePipeline(key, { pipeline_type: 'PLAYGROUND', managed_pipeline_id: managed });
    const ctx = createContext(env as never, { waitUntil: () => {} });
    const hash = await sha256(key);
    for (const pipelineId of [managed, playground, crypto.randomUUID()]) {
      const { row, found } = await findTargetByKey(ctx, pipelineId, hash);
      expect(row?.key.hash).toBe(hash);
      expect(found).toEqual(await findTarget(ctx, pipelineId));
    }
    expect(await findTargetByKey(ctx, managed, 'none')).toEqual({ row: undefined, found: undefined });
  });
});
