import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { openStored } from '#src/parse-file/parse-file.ts';
import { hugeBitonalImage } from '#test/fixtures/huge-image.ts';
import { buildPdf, image, paragraph } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const numbered = (count: number) =>
  buildPdf({
    pages: Array.from({ length: count }, (_, index) => ({
      content: paragraph(72, 700, [`Sheet ${index} carries the token qz${index}qz and nothing else.`]),
    })),
  });

const PAGED = {
  transform_config: {
    mode: 'advanced',
    segmentation_config: { mode: 'page' },
    chunking_config: { mode: 'none' },
  },
};

describe('long documents', () => {
  it.each([
    ['a range each', 70, 3, [0, 31, 32, 63, 64, 69]],
    ['several ranges each', 545, 18, [0, 63, 64, 511, 543, 544]],
  ])('are parsed in parts of %s and joined in order', async (_, pages, ranges, looked) => {
    const id = await createPipeline(PAGED);
    await addFiles(id, { 'long.pdf': numbered(pages) });
    const status = await sync(id);
    expect(status).toMatchObject({ status: 'SUCCESS', error: null });
    expect(status.progress?.counters).toMatchObject({ ranges_parsed: ranges, indexed: 1, pages });
    for (const page of looked) {
      const [best] = await retrieve(id, `qz${page}qz`, { alpha: 0, enable_reranking: false });
      expect(best?.node.text).toContain(`qz${page}qz`);
      expect(best?.node.extra_info).toMatchObject({ start_page_index: page, end_page_index: page });
    }
  });
});

describe('files with equal content', () => {
  it('are parsed once for all pipelines of a project', async () => {
    const bytes = numbered(3);
    const first = await createPipeline();
    await addFiles(first, { 'a.pdf': bytes });
    expect((await sync(first)).progress?.counters).not.toHaveProperty('cached_parses');
    const second = await createPipeline({ transform_config: { mode: 'auto', chunk_size: 256 } });
    await addFiles(second, { 'b.pdf': bytes });
    expect((await sync(second)).progress?.counters).toMatchObject({ indexed: 1, cached_parses: 1 });
    expect((await retrieve(second, 'qz2qz'))[0]?.node.text).toContain('qz2qz');
  });

  it('are parsed again with other parse parameters', async () => {
    const bytes = numbered(4);
    const first = await createPipeline();
    await addFiles(first, { 'a.pdf': bytes });
    await sync(first);
    const second = await createPipeline({ parse_parameters: { target_pages: '2' } });
    await addFiles(second, { 'b.pdf': bytes });
    const counters = (await sync(second)).progress?.counters;
    expect(counters).toMatchObject({ indexed: 1, pages: 1 });
    expect(counters).not.toHaveProperty('cached_parses');
  });
});

describe('documents that are too large', () => {
  it('fail with the reason, and the next document is read', async () => {
    const huge = new Uint8Array(33 * 1024 * 1024);
    huge.set(new TextEncoder().encode('%PDF-1.7\n'));
    const id = await createPipeline();
    const [file] = (await addFiles(id, { 'huge.pdf': huge, 'small.pdf': numbered(1) })) as [string];
    expect((await sync(id)).status).toBe('PARTIAL_SUCCESS');
    const { body } = await call<{ error: unknown }>('GET', `/api/v1/pipelines/${id}/files/${file}/status`);
    expect(JSON.stringify(body.error)).toContain('DOCUMENT_TOO_LARGE');
    expect((await retrieve(id, 'qz0qz'))[0]?.node.text).toContain('qz0qz');
  });

  it('fail if their pictures would take minutes to decode, and other documents are read', async () => {
    const picture = await hugeBitonalImage(30_000);
    const page = { content: image(0, 72, 100, 400, 400), images: [picture] };
    const id = await createPipeline();
    const files = { 'hostile.pdf': buildPdf({ pages: Array(8).fill(page) }), 'plain.pdf': numbered(2) };
    const [file] = (await addFiles(id, files)) as [string];
    expect((await sync(id)).status).toBe('PARTIAL_SUCCESS');
    const { body } = await call<{ error: unknown }>('GET', `/api/v1/pipelines/${id}/files/${file}/status`);
    expect(JSON.stringify(body.error)).toContain('The pictures of page 1 have 900000000 pixels');
    expect((await retrieve(id, 'qz1qz'))[0]?.node.text).toContain('qz1qz');
    const picturesOfIt = await call('GET', `/api/v1/files/${file}/page_screenshots/0`);
    expect(picturesOfIt.status).toBe(422);
  });

  it('are rejected by their size before they are read', async () => {
    const request = {
      ...{ projectId: 'p', contentHash: 'c', configHash: 'h', storageKey: 'nowhere' },
      ...{ name: 'huge.txt', size: 300 * 1024 * 1024, plan: resolveParsePlan({}) },
    };
    await expect(openStored(env.FILES, request)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
  });
});
