import { afterEach, expect, it, vi } from 'vitest';
import { upload } from '#test/support/client.ts';
import { fetchService } from '#test/support/fetch-service.ts';
import { INVOICE, INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const createTraceId = () => crypto.randomUUID().replaceAll('-', '');
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

it('a trace id follows a request through objects and queues into each log line', async () => {
  const file_input = await upload('invoice.md', INVOICE);
  const traceId = createTraceId();
  const lines = logged();
  const body = {
    file_input,
    configuration: { data_schema: INVOICE_SCHEMA },
    webhook_configurations: [{ webhook_url: 'http://nowhere.example/', webhook_events: ['extract.success'] }],
  };
  const answer = await fetchService('POST', '/api/v2/extract', { body, headers: within(traceId) });
  const { id } = await answer.json<{ id: string }>();
  const find = (event: string) => lines.find((line) => line.event === event);
  expect(find('request')).toMatchObject({ traceId, operation: expect.any(String), status: 200 });
  await vi.waitFor(
    () => expect(find('webhook delivery failed permanently')).toMatchObject({ jobId: id, traceId }),
    {
      timeout: PATIENCE_MS,
    },
  );
});

it('requests without a trace id get different ones', async () => {
  const lines = logged();
  for (let n = 0; n < 2; n += 1) await fetchService('GET', '/health');
  await createPipeline();
  const ids = lines.filter(({ event }) => event === 'request').map(({ traceId }) => traceId);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

it('every response has a traceresponse header, with the caller’s trace id or a new one', async () => {
  const traceId = createTraceId();
  const paths = [
    '/health',
    '/nothing',
    '/docs',
    '/api/v1/pipelines',
    '/presigned/files/none/content',
    '/openai/v1/models',
  ];
  for (const path of paths) {
    const continued = await fetchService('GET', path, { headers: within(traceId), key: null });
    expect(continued.headers.get('traceresponse'), path).toMatch(
      new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`),
    );
    const own = await fetchService('GET', path, { key: null });
    expect(own.headers.get('traceresponse'), path).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(own.headers.get('traceresponse')).not.toContain(traceId);
  }
});

it('the header and the log have the same trace id', async () => {
  const lines = logged();
  const answer = await fetchService('GET', '/health');
  const { traceId } = lines.find(({ event }) => event === 'request')!;
  expect(answer.headers.get('traceresponse')!.split('-')[1]).toBe(traceId);
});
