import { expect, it } from 'vitest';
import { chat } from '#src/chat/index.ts';
import type { ChatJob } from '#src/chat/job.ts';
import type { StoredChunk } from '#src/search/types.ts';

/** The source part of an answer from one chunk. */
async function sourceOf(place: Pick<StoredChunk, 'startPage' | 'endPage'>) {
  const text = 'The old bridge was built in 1902.';
  const chunk: StoredChunk = {
    id: 'chunk',
    documentId: 'document',
    position: 0,
    text,
    headings: [],
    startChar: 0,
    endChar: text.length,
    hash: '',
    title: 'bridge.pdf',
    metadata: {},
    ...place,
  };
  const job: ChatJob = {
    turns: [{ role: 'user', text: 'When was the old bridge built?' }],
    retrieve: async () => ({ chunks: [{ chunk, score: 0.5 }], latency: {}, notes: {} }),
    model: undefined,
    parameters: {},
    excludedKeys: [],
    warnings: [],
    messageId: 'm',
    requestId: 'r',
    onError(error) {
      throw error;
    },
  };
  const chunks = await Array.fromAsync(chat(job, new AbortController().signal));
  return chunks.find(({ type }) => type === 'source-document');
}

it('a source names its page as a reader counts, and its indexes from 0', async () => {
  expect(await sourceOf({ startPage: 1, endPage: 2 })).toMatchObject({
    sourceId: 'chunk',
    title: 'bridge.pdf',
    providerMetadata: {
      sluice: { citation: 1, page_label: '2', start_page_index: 1, end_page_index: 2, file_id: 'document' },
    },
  });
});

it('a source without pages has no page', async () => {
  expect(await sourceOf({})).toMatchObject({
    providerMetadata: { sluice: { page_label: null, start_page_index: null, end_page_index: null } },
  });
});
