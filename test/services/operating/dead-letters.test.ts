import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dispatch } from '#queues/dispatch.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { derivedId } from '#src/lib/ids.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { kept } from '#test/support/dead-letters.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, statusOf, untilFinished } from '#test/support/pipelines.ts';

const PATIENCE = { timeout: PATIENCE_MS };
const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;

interface Letter {
  id: string;
  type: string;
  message: Record<string, unknown>;
}

const listed = async (query = '') =>
  (
    await call<{ items: Letter[]; next_page_token: string | null }>(
      'GET',
      `/api/v1/admin/dead-letters${query}`,
    )
  ).body;
const send = (id: string) => call<{ outcome: string }>('POST', `/api/v1/admin/dead-letters/${id}/send`);

/** Delivers a message from the dead-letter queue. */
async function arrives(id: string, body: unknown) {
  const ack = vi.fn();
  const message = { id, timestamp: new Date(), attempts: 1, body, ack, retry: vi.fn() };
  await dispatch(
    { queue: 'sluice-dead-letter', messages: [message] } as unknown as MessageBatch,
    env,
    execution,
  );
  expect(ack).toHaveBeenCalledTimes(1);
}

beforeEach(() => env.DB.prepare('delete from dead_letters').run());

it('dead letters are stored once per message, with only the fields of the message', async () => {
  const messageId = crypto.randomUUID();
  const message = { type: 'extract', jobId: crypto.randomUUID() };
  await arrives(messageId, { ...message, traceparent: 'x' });
  await arrives(messageId, message);
  const { items } = await listed();
  expect(items).toEqual([
    {
      id: await derivedId('dead-letter', messageId),
      created_at: expect.any(String),
      type: 'extract',
      message,
    },
  ]);
});

it('dead letters are listed page by page, oldest first, and deleted after a month', async () => {
  const ids = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push(await kept({ type: 'parse', jobId: `pjb-${n}` }));
    await env.DB.prepare('update dead_letters set created_at = created_at - ? where id = ?')
      .bind((3 - n) * 9 * DAY_MS, ids[n])
      .run();
  }
  const first = await listed('?page_size=2');
  const second = await listed(`?page_size=2&page_token=${first.next_page_token}`);
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
  expect(second.next_page_token).toBeNull();
  await env.DB.prepare('update dead_letters set created_at = created_at - ? where id = ?')
    .bind(4 * DAY_MS, ids[0])
    .run();
  const last = await kept({ type: 'parse', jobId: 'pjb-3' });
  expect((await listed()).items.map(({ id }) => id)).toEqual([ids[1], ids[2], last]);
});

describe('a dead letter that is resent', () => {
  it('starts a sync that finishes the remaining work', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'a.txt': 'alpha' });
    await untilFinished(pipelineId);
    const { generation } = (await createObjects(env).pipelineSync(pipelineId).view())!;
    await env.DB.prepare('delete from indexed_documents').run();
    const id = await kept({ type: 'ingest-file', pipelineId, generation, itemId: 'file:1' });
    expect((await send(id)).body).toEqual({ outcome: 'sent' });
    await vi.waitFor(async () => {
      const row = await env.DB.prepare('select count(*) as number from indexed_documents').first();
      expect(row?.number).toBe(1);
    }, PATIENCE);
    await untilFinished(pipelineId);
    expect(await statusOf(pipelineId)).toMatchObject({ status: 'SUCCESS' });
    expect((await listed()).items).toEqual([]);
    expect((await send(id)).status).toBe(404);
  });

  it('finishes a job that is still open', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const { id } = await createJob('extract', { file_input, configuration: { data_schema: INVOICE_SCHEMA } });
    expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
    await vi.waitFor(async () => {
      expect(await createObjects(env).jobState(id).view()).toBeNull();
    }, PATIENCE);
    const letter = await kept({ type: 'extract', jobId: id });
    await env.DB.prepare("update extract_jobs set status = 'PENDING', attempt = 0 where id = ?")
      .bind(id)
      .run();
    expect((await send(letter)).body).toEqual({ outcome: 'sent' });
    expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
  });

  it('is removed if its work is no longer needed', async () => {
    const gone = crypto.randomUUID();
    for (const message of [
      { type: 'sync-pipeline', pipelineId: gone, generation: 1 },
      { type: 'ingest-file', pipelineId: gone, generation: 1, itemId: 'file:1' },
      { type: 'extract', jobId: gone },
      { type: 'classify', jobId: gone },
      { type: 'parse', jobId: gone },
      { type: 'deliver-webhook', jobId: gone },
    ] as const) {
      expect((await send(await kept(message))).body, message.type).toEqual({ outcome: 'not_wanted' });
    }
    expect((await listed()).items).toEqual([]);
  });
});

describe('a message that this release cannot read', () => {
  const later = { type: 'reindex-shard', shard: { index: 'i', number: 3 } };

  it.each<[string, unknown, string, object]>([
    ['of a type that is not known', later, 'reindex-shard', later],
    ['that lacks what it names', { type: 'extract' }, 'extract', { type: 'extract' }],
    ['that is no object', 'words', 'unreadable', { body: 'words' }],
  ])('%s is stored unchanged, and stays when it is resent', async (_, body, type, message) => {
    await arrives(crypto.randomUUID(), body);
    const { items } = await listed();
    expect(items).toMatchObject([{ type, message }]);
    expect(await send(items[0]!.id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const check = { check: 'dead_letters', fix: true };
    const { body: checked } = await call<{ findings: object[] }>('POST', '/api/v1/admin/checks', {
      body: check,
    });
    expect(checked.findings).toMatchObject([
      { mended: false, message: expect.stringContaining('another release') },
    ]);
    expect((await listed()).items).toEqual(items);
  });
});
