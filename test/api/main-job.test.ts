import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, image, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, statusOf, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const manual = buildPdf({
  pages: [
    {
      content:
        text(72, 720, 'Harbour manual', 24, 'F2') + paragraph(72, 680, ['Ships moor at the northern quay.']),
    },
    {
      content: paragraph(72, 720, [
        'The lighthouse keeper is called Matilda Oyelaran.',
        'She lights the lamp at dusk.',
      ]),
    },
    {
      content: paragraph(72, 720, ['Tides reach four metres in spring.']) + image(0, 72, 300, 200, 120),
      images: [solidImage(200, 120, [200, 30, 30])],
    },
  ],
});

let pipelineId: string;
let fileId: string;

beforeAll(async () => {
  pipelineId = await createPipeline();
  [fileId] = (await addFiles(pipelineId, { 'harbour.pdf': manual })) as [string];
  expect((await statusOf(pipelineId)).status).toBe('IN_PROGRESS');
  const status = await sync(pipelineId);
  expect(status).toMatchObject({ status: 'SUCCESS', error: null });
  expect(status.progress?.counters).toMatchObject({ indexed: 1, pages: 3 });
});

describe('retrieval', () => {
  it.each([
    ['hybrid', {}],
    ['sparse', { alpha: 0 }],
    ['dense', { alpha: 1 }],
    ['without reranking', { enable_reranking: false }],
  ])('finds the right passage with its page: %s', async (_mode, parameters) => {
    const [best] = await retrieve(pipelineId, 'Who is the lighthouse keeper?', parameters);
    expect(best?.node.text).toContain('Matilda Oyelaran');
    const info = best!.node.extra_info;
    expect(info).toMatchObject({ file_id: fileId, file_name: 'harbour.pdf', pipeline_id: pipelineId });
    expect(info.start_page_index).toBeLessThanOrEqual(1);
    expect(info.end_page_index).toBeGreaterThanOrEqual(1);
  });

  it('reports the duration of each stage and the components used', async () => {
    const body = { query: 'lighthouse' };
    const answer = await call<{
      retrieval_latency: Record<string, number>;
      metadata: Record<string, string>;
      class_name: string;
    }>('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, { body });
    expect(answer.body.retrieval_latency.total).toBeGreaterThanOrEqual(0);
    expect(answer.body.metadata.embedding).toMatch(/^builtin\//);
    expect(answer.body.class_name).toBe('RetrieveResults');
  });

  it('separates pages if the pipeline is configured so, and names the neighbours', async () => {
    const transform_config = {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'none' },
    };
    const paged = await createPipeline({ transform_config });
    await addFiles(paged, { 'harbour.pdf': manual });
    expect((await sync(paged)).status).toBe('SUCCESS');
    const [best] = await retrieve(paged, 'lighthouse keeper Matilda');
    expect(best?.node.extra_info).toMatchObject({ page_label: 2, start_page_index: 1, end_page_index: 1 });
    const onPage = (operator: string) => {
      const filters = [{ key: 'page_label', operator, value: 2 }];
      return retrieve(paged, 'lighthouse keeper Matilda', { search_filters: { filters } });
    };
    expect((await onPage('==')).map(({ node }) => node.id_)).toEqual([best?.node.id_]);
    const others = await onPage('!=');
    expect(others.map(({ node }) => node.extra_info.page_label)).not.toContain(2);
    expect(best?.node.relationships['1']?.node_id).toBeDefined();
    expect(best?.node.relationships['2']?.node_id).toBeDefined();
    expect(best?.node.relationships['3']?.node_id).toBeDefined();
  });

  it('returns an empty list before the first sync', async () => {
    expect(await retrieve(await createPipeline(), 'anything')).toEqual([]);
  });
});

describe('chat', () => {
  const ask = async (body: unknown) => {
    const response = await fetchService('POST', `/api/v1/pipelines/${pipelineId}/chat`, { body });
    const events = (await response.text())
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'))
      .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
    return { response, events };
  };
  const joinText = (events: Record<string, unknown>[]) =>
    events
      .filter((event) => event.type === 'text-delta')
      .map((event) => event.delta)
      .join('');

  it('streams an answer with its sources in the UI message protocol', async () => {
    const { response, events } = await ask({
      messages: [{ role: 'user', content: 'Who is the lighthouse keeper?' }],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(joinText(events)).toContain('Matilda Oyelaran');
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['start', 'text-start', 'text-delta', 'text-end', 'source-document', 'finish']),
    );
    const source = events.find((event) => event.type === 'source-document');
    expect(source).toMatchObject({ title: 'harbour.pdf', providerMetadata: { sluice: { file_id: fileId } } });
  });

  it('accepts UI messages with parts', async () => {
    const { events } = await ask({
      messages: [
        { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'How high are the tides in spring?' }] },
      ],
    });
    expect(joinText(events)).toContain('four metres');
  });

  it('answers without citations if the documents hold no answer', async () => {
    const { events } = await ask({ messages: [{ role: 'user', content: 'What is zymurgy quux?' }] });
    const citations = events.find((event) => event.type === 'data-citations');
    expect(citations).toMatchObject({ data: { citations: [] } });
    expect(joinText(events).length).toBeGreaterThan(0);
  });

  it('rejects a conversation without a question', async () => {
    const path = `/api/v1/pipelines/${pipelineId}/chat`;
    const messages = [{ role: 'assistant', content: 'Hello' }];
    expect((await call('POST', path, { body: { messages } })).status).toBe(422);
    expect(
      (await call('POST', path, { body: { messages: [{ role: 'pirate', content: 'Arr' }] } })).status,
    ).toBe(422);
  });
});

describe('page images', () => {
  it('renders a page as PNG', async () => {
    const response = await fetchService('GET', `/api/v1/files/${fileId}/page_screenshots/1`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([...bytes.slice(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    const again = await fetchService('GET', `/api/v1/files/${fileId}/page_screenshots/1`, {
      headers: { 'if-none-match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('lists and serves figures', async () => {
    const figures = await call<{ figure_name: string; page_index: number; figure_size: number }[]>(
      'GET',
      `/api/v1/files/${fileId}/page-figures`,
    );
    expect(figures.body).toHaveLength(1);
    const { page_index, figure_name } = figures.body[0]!;
    expect(page_index).toBe(2);
    const picture = await fetchService('GET', `/api/v1/files/${fileId}/page-figures/2/${figure_name}`);
    expect(picture.headers.get('content-type')).toMatch(/^image\//);
    expect((await picture.arrayBuffer()).byteLength).toBe(figures.body[0]!.figure_size);
  });

  it('answers 404 beyond the last page', async () => {
    expect((await call('GET', `/api/v1/files/${fileId}/page_screenshots/3`)).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${fileId}/page-figures/3`)).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${fileId}/page-figures/0/none.png`)).status).toBe(404);
  });
});

describe('deleting a file', () => {
  it('makes it impossible to find', async () => {
    const own = await createPipeline();
    const [gone, kept] = await addFiles(own, {
      'gone.txt': 'The password of the vault is swordfish.',
      'kept.txt': 'The vault is in the cellar.',
    });
    await sync(own);
    expect((await retrieve(own, 'vault password')).map((hit) => hit.node.extra_info.file_id)).toContain(gone);
    expect((await call('DELETE', `/api/v1/files/${gone}`)).status).toBe(204);
    expect((await retrieve(own, 'vault password')).map((hit) => hit.node.extra_info.file_id)).toEqual([kept]);
    expect((await call('GET', `/api/v1/files/${gone}`)).status).toBe(404);
  });
});

describe('other tenants', () => {
  it('get 404 for files and pipelines of this tenant', async () => {
    const { key } = await createTenant();
    const paths: [string, string, unknown?][] = [
      ['GET', `/api/v1/files/${fileId}`],
      ['DELETE', `/api/v1/files/${fileId}`],
      ['GET', `/api/v1/files/${fileId}/page_screenshots`],
      ['GET', `/api/v1/files/${fileId}/page_screenshots/0`],
      ['GET', `/api/v1/files/${fileId}/page-figures`],
      ['GET', `/api/v1/pipelines/${pipelineId}`],
      ['PUT', `/api/v1/pipelines/${pipelineId}`, { name: 'mine now' }],
      ['GET', `/api/v1/pipelines/${pipelineId}/status`],
      ['POST', `/api/v1/pipelines/${pipelineId}/sync`],
      ['POST', `/api/v1/pipelines/${pipelineId}/sync/cancel`],
      ['GET', `/api/v1/pipelines/${pipelineId}/files`],
      ['PUT', `/api/v1/pipelines/${pipelineId}/files`, []],
      ['POST', `/api/v1/pipelines/${pipelineId}/retrieve`, { query: 'tides' }],
      ['POST', `/api/v1/pipelines/${pipelineId}/chat`, { messages: [{ role: 'user', content: 'tides?' }] }],
    ];
    for (const [method, path, body] of paths) {
      expect([path, (await call(method, path, { key, ...(body !== undefined && { body }) })).status]).toEqual(
        [path, 404],
      );
      expect([
        path,
        (await call(method, path, { key: null, ...(body !== undefined && { body }) })).status,
      ]).toEqual([path, 401]);
    }
  });

  it('cannot add a file of this tenant to their pipeline', async () => {
    const { key } = await createTenant();
    const theirs = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name: 'theirs' } });
    const path = `/api/v1/pipelines/${theirs.body.id}/files`;
    expect((await call('PUT', path, { key, body: [{ file_id: fileId }] })).status).toBe(422);
    const own = await upload('own.txt', 'mine', { key });
    expect((await call('PUT', path, { key, body: [{ file_id: own }] })).status).toBe(200);
  });
});
