import { expect, it } from 'vitest';
import { chat } from '#src/chat/index.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { chunkSaying, foundIn, jobOver } from '#test/support/chat-jobs.ts';

/** Returns the source part of an answer from one chunk. */
async function chatAndGetSource(more: Partial<StoredChunk>, text = 'The old bridge was built in 1902.') {
  const chunks = await Array.fromAsync(chat(jobOver(chunkSaying(text, more)), new AbortController().signal));
  return chunks.find(({ type }) => type === 'source-document');
}

it('a source has a one-based page label and zero-based page indexes', async () => {
  expect(await chatAndGetSource({ startPage: 1, endPage: 2 })).toMatchObject({
    sourceId: 'chunk',
    title: 'bridge.pdf',
    providerMetadata: {
      sluice: { citation: 1, page_label: '2', start_page_index: 1, end_page_index: 2 },
    },
  });
});

it('a source has the ids that identify its node', async () => {
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
  expect(await chatAndGetSource({})).toMatchObject({ providerMetadata: { sluice: { file_id: null } } });
});

it('a source in an archive names the file inside the archive', async () => {
  expect(await chatAndGetSource({ startPage: 1, member: 'plans/bridge.txt' })).toMatchObject({
    providerMetadata: { sluice: { member_path: 'plans/bridge.txt' } },
  });
  expect(JSON.stringify(await chatAndGetSource({ startPage: 1 }))).not.toContain('member_path');
});

it('a source without pages has no page label and no page indexes', async () => {
  expect(await chatAndGetSource({})).toMatchObject({
    providerMetadata: { sluice: { page_label: null, start_page_index: null, end_page_index: null } },
  });
});

it('the text of a long source is cut and marked as cut', async () => {
  const text = 'The old bridge was built in 1902. '.repeat(1_000);
  expect(await chatAndGetSource({}, text)).toMatchObject({
    providerMetadata: { sluice: { text: text.slice(0, 8_000), text_cut: true } },
  });
});
