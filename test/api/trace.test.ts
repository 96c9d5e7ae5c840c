import { afterEach, expect, it, vi } from 'vitest';
import { upload } from '#test/support/client.ts';
import { fetchService } from '#test/support/fetch-service.ts';
import { INVOICE, INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const traceOf = () => crypto.randomUUID().replaceAll('-', '');
const within = (traceId: string) => ({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });

afterEach(() => void vi.restoreAllMocks());

function logged() {
  const lines: Record<string, unknown>[] = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => {
      lines.push(typeof line === 'string' && line.startsWith('{') ? JSON.parse(line) : { line });
    });
  }
  return lines;
}

it('goes with a request through objects, queues and what they lead to, into each line of the log', async () => {
  const file_input = await upload('invoice.md', INVOICE);
  const traceId = traceOf();
  const lines = logged();
  const body = {
    file_input,
    configuration: { data_schema: INVOICE_SCHEMA },
    webhook_configurations: [{ webhook_url: 'http://10.1.1.1/', webhook_events: ['extract.success'] }],
  };
  const answer = await fetchService('POST', '/api/v2/extract', { body, headers: within(traceId) });
  const { id } = await answer.json<{ id: string }>();
  const find = (event: string) => lines.find((line) => line.event === event);
  expect(find('request')).toMatchObject({ traceId, operation: expect.any(String), status: 200 });
  await vi.waitFor(() => expect(find('webhook delivery is dead')).toMatchObject({ jobId: id, traceId }), {
    timeout: PATIENCE_MS,
  });
});

it('is another one for each request that brings none', async () => {
  const lines = logged();
  for (let n = 0; n < 2; n += 1) await fetchService('GET', '/health');
  await createPipeline();
  const ids = lines.filter(({ event }) => event === 'request').map(({ traceId }) => traceId);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});
