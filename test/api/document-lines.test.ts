import { describe, expect, it } from 'vitest';
import type { ImportEvent } from '#src/services/pipelines/documents/lines/import-lines.ts';
import { call, fetchService } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const line = (id: string, more: object = {}) =>
  JSON.stringify({ id, text: `Text of ${id}.`, metadata: {}, ...more });
const path = (pipeline: string, query = '') => `/api/v1/pipelines/${pipeline}/documents/lines${query}`;
const readEvents = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((event) => JSON.parse(event) as ImportEvent);

async function send(
  pipeline: string,
  body: BodyInit,
  { query = '', key = undefined as string | undefined } = {},
) {
  const response = await fetchService('POST', path(pipeline, query), {
    ...(key !== undefined && { key }),
    headers: { 'content-type': 'application/x-ndjson' },
    raw: body,
  });
  return { status: response.status, events: readEvents(await response.text()) };
}

async function listIds(pipeline: string, key?: string): Promise<string[]> {
  const init = key === undefined ? {} : { key };
  const { body } = await call<{ documents: { id: string }[] }>(
    'GET',
    `/api/v1/pipelines/${pipeline}/documents/paginated?limit=500`,
    init,
  );
  return body.documents.map(({ id }) => id).sort();
}

/** A request body to which a test adds lines while the service reads it. */
function openBody() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
  });
  return {
    stream,
    write: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
    close: () => controller.close(),
  };
}

describe('an import of JSON Lines', () => {
  it('stores each document, and the last of those with the same id', async () => {
    const pipeline = await createPipeline();
    const lines = [line('a'), '', line('b'), line('a', { text: 'Another text.' })];
    const { status, events } = await send(pipeline, `\ufeff${lines.join('\r\n')}\n`);
    expect(status).toBe(200);
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      complete: true,
      documents: 3,
      errors: 0,
      next_line: 5,
    });
    expect(await listIds(pipeline)).toEqual(['a', 'b']);
    const { body } = await call('GET', `/api/v1/pipelines/${pipeline}/documents/a`);
    expect(body).toMatchObject({ text: 'Another text.' });
  });

  it('stores more documents than fit into one batch', async () => {
    const pipeline = await createPipeline();
    const ids = Array.from({ length: 1_201 }, (_, index) => `${index}`);
    const { events } = await send(pipeline, ids.map((id) => line(id)).join('\n'));
    expect(events.at(-1)).toMatchObject({ complete: true, documents: 1_201, next_line: 1_202 });
    const counts = await call<{ total_count: number }>(
      'GET',
      `/api/v1/pipelines/${pipeline}/documents/status-counts`,
    );
    expect(counts.body).toMatchObject({ total_count: 1_201 });
  });

  it.each([
    ['no JSON', '{"id":', { loc: [], message: expect.stringContaining('not valid JSON') }],
    ['no object', '[1]', { loc: [] }],
    ['a wrong field', line('x', { text: 7 }), { loc: ['text'] }],
    ['a missing field', '{"id":"x","text":"t"}', { loc: ['metadata'] }],
    ['deep nesting', `{"metadata":${'['.repeat(600)}${']'.repeat(600)}}`, { loc: [] }],
    [
      'fields that do not fit into a row',
      line('x', { metadata: { notes: 'é'.repeat(800_000) } }),
      { loc: ['metadata'], message: expect.stringContaining('1500000 bytes') },
    ],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), { loc: [], message: 'The line is not valid UTF-8' }],
    [
      'a line that is too long',
      'x'.repeat(32 * 1024 * 1024 + 1),
      { loc: [], message: 'A line is limited to 32 MiB' },
    ],
  ])('reports a line with %s, and stores the others', async (_, wrong, error) => {
    const pipeline = await createPipeline();
    const body = new Blob([line('a'), '\n', wrong as string, '\n', line('b')]);
    const { events } = await send(pipeline, await body.arrayBuffer(), { query: '?first_line=11' });
    expect(events.filter(({ type }) => type === 'error')).toEqual([
      expect.objectContaining({ line: 12, ...error }),
    ]);
    expect(events.at(-1)).toMatchObject({
      complete: true,
      documents: 2,
      errors: 1,
      next_line: 14,
      bytes: body.size,
    });
    expect(await listIds(pipeline)).toEqual(['a', 'b']);
  });

  it('warns once about a field that has no effect', async () => {
    const pipeline = await createPipeline();
    const { events } = await send(
      pipeline,
      [line('a', { author: 'x' }), line('b', { author: 'y' })].join('\n'),
    );
    const warnings = events.filter(({ type }) => type === 'warning');
    expect(warnings).toEqual([expect.objectContaining({ line: 1, field: 'author' })]);
  });

  it('warns about few fields, with short names', async () => {
    const pipeline = await createPipeline();
    const names = Array.from({ length: 80 }, (_, n) => `${n}${'x'.repeat(1_000)}`);
    const { events } = await send(pipeline, names.map((name, n) => line(`${n}`, { [name]: 1 })).join('\n'));
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.field] : []));
    expect(warnings).toEqual(names.slice(0, 50).map((name) => name.slice(0, 200)));
    expect(events.at(-1)).toMatchObject({ complete: true, documents: 80 });
  });

  it('ends after 1000 wrong lines', async () => {
    const pipeline = await createPipeline();
    const { events } = await send(pipeline, `${line('a')}\n${'wrong\n'.repeat(1_500)}${line('b')}`);
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      complete: false,
      documents: 1,
      errors: 1_000,
      next_line: 1_002,
    });
    expect(await listIds(pipeline)).toEqual(['a']);
  });

  it('stores what arrives while the request is open, and can be continued after an end within a line', async () => {
    const pipeline = await createPipeline();
    const body = openBody();
    const sending = send(pipeline, body.stream);
    body.write(`${line('a')}\n${line('b').slice(0, 10)}`);
    await expect.poll(() => listIds(pipeline)).toEqual(['a']);
    body.close();
    const { events } = await sending;
    const bytes = line('a').length + 1;
    expect(events.find(({ type }) => type === 'error')).toMatchObject({
      line: 2,
      message: expect.stringContaining('JSON'),
    });
    expect(events.find(({ type }) => type === 'progress')).toMatchObject({
      documents: 1,
      next_line: 2,
      bytes,
    });
    const rest = await send(pipeline, `${line('a')}\n${line('b')}`.slice(bytes), { query: '?first_line=2' });
    expect(rest.events.at(-1)).toMatchObject({ complete: true, documents: 1, next_line: 3 });
    expect(await listIds(pipeline)).toEqual(['a', 'b']);
  });

  it('writes nothing more after the key was revoked', async () => {
    const { key: admin } = await createTenant();
    const made = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      key: admin,
      body: { name: 'lines' },
    });
    const pipeline = made.body.id;
    const created = await call<{ id: string; redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key: admin,
      body: { name: 'import' },
    });
    const body = openBody();
    const sending = send(pipeline, body.stream, { key: created.body.redacted_api_key });
    body.write(`${line('a')}\n`);
    await expect.poll(() => listIds(pipeline, admin)).toEqual(['a']);
    await call('DELETE', `/api/v1/api-keys/${created.body.id}`, { key: admin });
    body.write(`${line('b')}\n`);
    body.close();
    const { events } = await sending;
    expect(events.at(-1)).toMatchObject({ type: 'end', complete: false, documents: 1, next_line: 2 });
    expect(await listIds(pipeline, admin)).toEqual(['a']);
  });

  it('reports that the pipeline was deleted meanwhile', async () => {
    const pipeline = await createPipeline();
    const body = openBody();
    const sending = send(pipeline, body.stream);
    body.write(`${line('a')}\n`);
    await expect.poll(() => listIds(pipeline)).toEqual(['a']);
    await call('DELETE', `/api/v1/pipelines/${pipeline}`);
    body.write(`${line('b')}\n`);
    body.close();
    const { events } = await sending;
    expect(events.at(-1)).toMatchObject({ complete: false, message: expect.stringContaining(pipeline) });
  });
});
