import { expect, it } from 'vitest';
import { chat } from '#src/chat/index.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { chunkSaying, foundIn, jobOver } from '#test/support/chat-jobs.ts';

/** The source part of an answer from one chunk. */
async function sourceOf(more: Partial<StoredChunk>, text = 'The old bridge was built in 1902.') {
  const chunks = await Array.fromAsync(chat(jobOver(chunkSaying(text, more)), new AbortController().signal));
  return chunks.find(({ type }) => type === 'source-document');
}

it('a source names its page as a reader counts, and its indexes from 0', async () => {
  expect(await sourceOf({ startPage: 1, endPage: 2 })).toMatchObject({
    sourceId: 'chunk',
    title: 'bridge.pdf',
    providerMetadata: {
      sluice: { citation: 1, page_label: '2', start_page_index: 1, end_page_index: 2 },
    },
  });
});

it('a source says where to find its node again', async () => {
  const found = foundIn(chunkSaying('The old bridge was built in 1902.'), {
    fileId: 'document',
    pipelineName: 'Bridges',
  });
  const job = jobOver(found.chunks[0]!.chunk, { retrieve: async () => found });
  const chunks = await Array.fromAsync(chat(job, new AbortController().signal));
  expect(chunks.find(({ type }) => type === 'source-document')).toMatchObject({
    providerMetadata: {
      sluice: {
        ...{ node_id: 'chunk', pipeline_id: 'pipeline', retriever_pipeline_name: 'Bridges' },
        ...{ document_id: 'document', file_id: 'document' },
      },
    },
  });
  expect(await sourceOf({})).toMatchObject({ providerMetadata: { sluice: { file_id: null } } });
});

it('a source names the file inside the document that it is of', async () => {
  expect(await sourceOf({ startPage: 1, member: 'plans/bridge.txt' })).toMatchObject({
    providerMetadata: { sluice: { member_path: 'plans/bridge.txt' } },
  });
  expect(JSON.stringify(await sourceOf({ startPage: 1 }))).not.toContain('member_path');
});

it('a source without pages has no page', async () => {
  expect(await sourceOf({})).toMatchObject({
    providerMetadata: { sluice: { page_label: null, start_page_index: null, end_page_index: null } },
  });
});

it('a long source is cut, and says so', async () => {
  const text = 'The old bridge was built in 1902. '.repeat(1_000);
  expect(await sourceOf({}, text)).toMatchObject({
    providerMetadata: { sluice: { text: text.slice(0, 8_000), text_cut: true } },
  });
});
