import { describe, expect, it } from 'vitest';
import {
  type BatchBody,
  createBatch,
  EXTRACTION,
  listItems,
  untilBatchEnds,
  uploadInvoices,
} from '#test/support/batches.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { RULES } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/api/v2/batches';
const extract = { job_type: 'extract', configuration: EXTRACTION };

describe('a batch', () => {
  it('extracts every file and lists the results with confidences in the order of the files', async () => {
    const tenant = await createTenant();
    const file_ids = await uploadInvoices(tenant, 3);
    const created = await createBatch(tenant, { ...extract, file_ids, name: 'Invoices of March' });
    expect(created).toMatchObject({ name: 'Invoices of March', status: 'PENDING', file_count: 3 });
    expect(await untilBatchEnds(tenant, created.id)).toMatchObject({
      status: 'COMPLETED',
      status_counts: { COMPLETED: 3, FAILED: 0 },
      review_counts: { none: 3, approved: 0 },
    });
    const items = await listItems(tenant, created.id, '?expand=result');
    expect(items.map(({ file_id, result }) => [file_id, result?.invoice_number])).toEqual(
      file_ids.map((id, at) => [id, `INV-${at + 1}`]),
    );
    expect(items[0]!.confidences).toHaveProperty(['/invoice_number'], expect.any(Number));
    expect(items[0]!.min_confidence).toBe(Math.min(...Object.values(items[0]!.confidences!)));
    const [first] = await listItems(tenant, created.id);
    expect(first).not.toHaveProperty('result');
  });

  it.each([
    ['classify', { rules: RULES }],
    ['parse', {}],
  ])('runs %s jobs', async (job_type, configuration) => {
    const tenant = await createTenant();
    const file_ids = await uploadInvoices(tenant, 2);
    const { id } = await createBatch(tenant, { job_type, configuration, file_ids });
    expect(await untilBatchEnds(tenant, id)).toMatchObject({ status: 'COMPLETED', job_type });
    const [item] = await listItems(tenant, id, '?expand=result');
    const job = await call('GET', `/api/v2/${job_type}/${item!.job_id}`, { key: tenant.key });
    expect(job.body).toMatchObject({ status: 'COMPLETED' });
    if (job_type === 'classify') expect(item!.result).toMatchObject({ type: 'invoice' });
  });

  it('takes the files of a pipeline, and none if there are more than a batch may have', async () => {
    const tenant = await createTenant();
    const [first, second] = await uploadInvoices(tenant, 2);
    const { key } = tenant;
    const { body: pipeline } = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      key,
      body: { name: 'All' },
    });
    await call('PUT', `/api/v1/pipelines/${pipeline.id}/files`, {
      key,
      body: [first, second].map((file_id) => ({ file_id })),
    });
    const { id } = await createBatch(tenant, { ...extract, pipeline_id: pipeline.id });
    const items = await listItems(tenant, id);
    expect(new Set(items.map(({ file_id }) => file_id))).toEqual(new Set([first, second]));
    const other = await call('POST', PATH, {
      key,
      body: { ...extract, pipeline_id: pipeline.id, pipeline_file_status: 'ERROR' },
    });
    expect(other).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('no files with status ERROR') },
    });
  });

  it('is created once for a transaction_id, even by concurrent requests with other files', async () => {
    const tenant = await createTenant();
    const files = await uploadInvoices(tenant, 3);
    const transaction_id = crypto.randomUUID();
    const made = await Promise.all(
      files.map((_, at) =>
        createBatch(tenant, { ...extract, transaction_id, file_ids: files.slice(0, at + 1) }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const items = await listItems(tenant, made[0]!.id);
    expect(items).toHaveLength(made[0]!.file_count);
    const other = await createTenant();
    const theirs = { ...extract, transaction_id, file_ids: await uploadInvoices(other, 1) };
    expect((await createBatch(other, theirs)).id).not.toBe(made[0]!.id);
  });

  it('queues jobs beyond the limit of concurrent jobs instead of refusing them', async () => {
    const tenant = await createTenant();
    const limits = { concurrent_jobs: 1 };
    const limited = await call('PUT', `/api/v1/projects/${tenant.projectId}`, {
      key: tenant.key,
      body: { name: 'Default', limits },
    });
    expect(limited.status).toBe(200);
    const { id } = await createBatch(tenant, { ...extract, file_ids: await uploadInvoices(tenant, 4) });
    expect(await untilBatchEnds(tenant, id)).toMatchObject({ status_counts: { COMPLETED: 4 } });
  });

  it('retries only the files that failed', async () => {
    const tenant = await createTenant();
    const [good] = await uploadInvoices(tenant, 1);
    const bad = await upload('empty.md', ' ', { key: tenant.key });
    const { id } = await createBatch(tenant, { ...extract, file_ids: [good, bad] });
    expect(await untilBatchEnds(tenant, id)).toMatchObject({
      status: 'COMPLETED',
      status_counts: { FAILED: 1 },
    });
    const before = await listItems(tenant, id);
    expect(before[1]).toMatchObject({ status: 'FAILED', error_message: expect.any(String) });
    const retried = await call<BatchBody>('POST', `${PATH}/${id}/retry`, { key: tenant.key });
    expect(retried.status).toBe(200);
    await untilBatchEnds(tenant, id);
    const after = await listItems(tenant, id);
    expect(after[0]!.job_id).toBe(before[0]!.job_id);
    expect(after[1]!.job_id).not.toBe(before[1]!.job_id);
  });

  it('reports its end to its webhook endpoints', async () => {
    const tenant = await createTenant();
    const { id } = await createBatch(tenant, {
      ...extract,
      file_ids: await uploadInvoices(tenant, 2),
      webhook_configurations: [{ webhook_url: 'https://hooks.example/', webhook_events: ['batch.success'] }],
    });
    const { key } = tenant;
    const path = `/api/v1/beta/webhook-deliveries?job_id=${id}`;
    const read = async () =>
      (await call<{ items: Record<string, unknown>[] }>('GET', path, { key })).body.items;
    await expect.poll(read, { timeout: PATIENCE_MS }).toMatchObject([{ event_type: 'batch.success' }]);
    const { body } = await call<BatchBody>('GET', `${PATH}/${id}`, { key });
    expect(body).toMatchObject({ status: 'COMPLETED', finished_at: expect.stringMatching(/Z$/) });
  });

  it('names a file that does not exist, or belongs to another tenant', async () => {
    const [tenant, other] = [await createTenant(), await createTenant()];
    const [theirs] = await uploadInvoices(other, 1);
    const answer = await call('POST', PATH, { key: tenant.key, body: { ...extract, file_ids: [theirs] } });
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(theirs!) } });
  });

  it('is invisible to other tenants', async () => {
    const [tenant, other] = [await createTenant(), await createTenant()];
    const { id } = await createBatch(tenant, { ...extract, file_ids: await uploadInvoices(tenant, 1) });
    const calls = [
      ['GET', ''],
      ['GET', '/items'],
      ['GET', '/results'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['DELETE', ''],
    ] as const;
    for (const [method, rest] of calls) {
      expect((await call(method, `${PATH}/${id}${rest}`, { key: other.key })).status).toBe(404);
    }
    const { body } = await call<{ items: unknown[] }>('GET', PATH, { key: other.key });
    expect(body.items).toEqual([]);
  });

  it('deletes its jobs and reviews, and keeps the files', async () => {
    const tenant = await createTenant();
    const file_ids = await uploadInvoices(tenant, 2);
    const { id } = await createBatch(tenant, { ...extract, file_ids });
    await untilBatchEnds(tenant, id);
    const [item] = await listItems(tenant, id);
    const { key } = tenant;
    const job = `/api/v2/extract/${item!.job_id}`;
    await call('PUT', `${job}/review`, { key, body: { revision: 0, approved: true, corrections: {} } });
    expect((await call('DELETE', `${PATH}/${id}`, { key })).status).toBe(204);
    expect((await call('GET', `${PATH}/${id}`, { key })).status).toBe(404);
    await expect.poll(async () => (await call('GET', job, { key })).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${file_ids[0]}`, { key })).status).toBe(200);
  });
});

describe('the results of a batch', () => {
  it('are extracted, reviewed or approved values, as JSON Lines, JSON or CSV', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const { id } = await createBatch(tenant, { ...extract, file_ids: await uploadInvoices(tenant, 2) });
    await untilBatchEnds(tenant, id);
    const [first, second] = await listItems(tenant, id);
    const review = (job: string, body: object) => call('PUT', `/api/v2/extract/${job}/review`, { key, body });
    await review(first!.job_id, {
      revision: 0,
      approved: true,
      corrections: { '/seller/name': '=HYPERLINK("http://evil.example")', '/total_due': -5 },
    });
    await review(second!.job_id, { revision: 0, approved: false, corrections: { '/total_due': 7 } });
    const read = async (query: string) => {
      const answer = await fetchService('GET', `${PATH}/${id}/results?${query}`, { key });
      return answer.text();
    };
    const lines = async (values: string) =>
      (await read(`values=${values}`))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).result.total_due);
    expect(await lines('extracted')).toEqual([1.5, 2.5]);
    expect(await lines('reviewed')).toEqual([-5, 7]);
    expect(await lines('approved')).toEqual([-5]);
    expect(JSON.parse(await read('format=json&values=approved'))).toMatchObject([
      { file_name: 'invoice-1.md', review_state: 'approved', reviewed_by: 'Somebody' },
    ]);
    const [header, row] = (await read('format=csv')).split('\r\n');
    expect(header).toMatch(/^file_name,.*,invoice_number,seller\.name,total_due$/);
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"")",-5`);
  });
});
