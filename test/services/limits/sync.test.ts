import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { boxFixture as fixture } from '#test/sources/fixtures/box.ts';
import { Vendor } from '#test/suites/source-vendor.ts';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

let vendor: Vendor;

beforeEach(() => {
  vendor = new Vendor();
  vendor.connect(fixture.classifyRequest, fixture.answer);
});
afterEach(() => vi.unstubAllGlobals());

interface Status {
  status: string;
  counts: Record<string, number>;
  job_id: string | null;
}

it.each([
  ['files', { files: 3 }],
  ['bytes', { bytes: 3 * 'It speaks of 1.'.length }],
])(
  'a sync that reaches the limit of %s fails the files beyond it, and continues once the limit is raised',
  async (name, limits) => {
    const { key, projectId } = await createTenant();
    const ask = async <Body>(method: string, path: string, body?: object) => {
      const answer = await call<Body>(method, path, { key, ...(body && { body }) });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    };
    const limit = (limits: object) =>
      ask('PUT', `/api/v1/projects/${projectId}`, { name: 'Default', limits });
    for (let index = 0; index < 5; index++) vendor.put(`${index}.txt`, `It speaks of ${index}.`);
    await limit(limits);
    const { kind: source_type } = fixture.definition;
    const source = { name: 'source', source_type, component: fixture.settings };
    const { id } = await ask<{ id: string }>('POST', '/api/v1/data-sources', source);
    const { id: pipelineId } = await ask<{ id: string }>('POST', '/api/v1/pipelines', { name: 'one' });
    const path = `/api/v1/pipelines/${pipelineId}`;
    await ask('PUT', `${path}/data-sources`, [{ data_source_id: id }]);
    const synced = async (after: string | null): Promise<Status> => {
      await ask('POST', `${path}/sync`);
      for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
        const status = await ask<Status>('GET', `${path}/status?full_details=true`);
        if (/SUCCESS|ERROR/.test(status.status) && status.job_id !== after) return status;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('the sync did not end');
    };

    const first = await synced(null);
    expect(first).toMatchObject({ status: 'PARTIAL_SUCCESS', counts: { SUCCESS: 3, ERROR: 2 } });
    const failed = await env.DB.prepare(
      "select error ->> 'message' as message, error ->> 'step' as step from pipeline_members where pipeline_id = ? and status = 'ERROR'",
    )
      .bind(pipelineId)
      .all();
    expect(failed.results).toEqual(
      Array(2).fill({ step: 'DATA_SOURCE', message: expect.stringContaining(`(${name})`) }),
    );
    const reads = vendor.count('read');
    const second = await synced(first.job_id);
    expect(second.counts).toEqual({ SUCCESS: 3, ERROR: 2 });
    // Files beyond the limit are not downloaded.
    expect(vendor.count('read')).toBe(reads);
    const used = await ask<{ limits: Record<string, { used: number }> }>('GET', '/api/v1/usage');
    expect(used.limits.files?.used).toBe(3);
    await limit({});
    expect(await synced(second.job_id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 5 } });
  },
);
