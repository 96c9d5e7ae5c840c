import { expect, test } from 'vitest';
import { type IngestJob, indexDocuments } from '#src/ingest/index.ts';
import { Upstream } from '#src/lib/errors.ts';
import type { SparseEmbedder } from '#src/ports/embedder.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { configured, plain } from './chunking/helpers.ts';

interface Written {
  /** Batches passed to the sink. */
  batches: IndexedChunk[][];
  document: IndexedDocument | undefined;
  embedded: string[];
}

async function written(
  text: string,
  transform: unknown,
  { pageStarts = [], ...rest }: Partial<IngestJob> & { pageStarts?: number[] } = {},
): Promise<Written> {
  const result: Written = { batches: [], document: undefined, embedded: [] };
  const { batches, embedded } = result;
  const sink: Partial<Sink> = {
    capabilities: {
      sparse: 'native',
      filters: { operators: [], nesting: false },
      transactions: true,
      batch: { chunks: 256, bytes: 2_000_000 },
    },
    ensure: async (dimension) => void expect(dimension).toBe(1),
    async stage(_, chunks) {
      batches.push(chunks);
    },
    async publish(document, chunks) {
      result.document = document;
      batches.push(chunks);
      return true;
    },
    async publishMany(documents) {
      for (const { document, chunks } of documents) {
        result.document = document;
        batches.push(chunks);
      }
      return documents.map(() => ({ status: 'fulfilled', value: true }));
    },
  };
  const job: Partial<IngestJob> = {
    documentId: 'document',
    version: 1,
    pipelineId: 'pipeline',
    title: 'title',
    metadata: {},
    transform: configured(transform),
    embedTitle: false,
    searchedMetadata: [],
    embedder: {
      modelId: 'zeros',
      dimension: 1,
      async embed(texts) {
        embedded.push(...texts);
        return texts.map(() => new Float32Array(1));
      },
    },
    sink: sink as Sink,
    checkpoint: async () => {},
    ...rest,
  };
  const entry = { job: job as IngestJob, document: { ...plain(text), pageStarts } };
  const [indexed] = await indexDocuments([entry]);
  if (indexed?.status !== 'fulfilled') throw indexed?.reason;
  const { chunkCount, pageCount } = indexed.value;
  expect(chunkCount).toBe(batches.flat().length);
  expect(pageCount).toBe(pageStarts.length + (pageStarts[0] ? 1 : 0));
  return result;
}

const writeBatches = async (...input: Parameters<typeof written>) => (await written(...input)).batches;

test('embedding batches are limited by text size as well as by number of chunks', async () => {
  const whole = { mode: 'advanced', chunking_config: { mode: 'none' } };
  const batches = await writeBatches('a few words. '.repeat(500_000), whole);
  expect(batches.flat()).toHaveLength(7);
  expect(batches.length).toBeGreaterThan(2);
  for (const batch of batches) {
    expect(batch.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(2_000_000);
  }
  const [first, second] = [batches[0]!.at(-1)!, batches[1]![0]!];
  expect([first.nextId, second.previousId]).toEqual([second.id, first.id]);
  expect(batches.flat().map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('each chunk has its own detected language', async () => {
  const paragraphs = [
    'The contract was signed by both of the parties, and the goods were delivered to the warehouse.',
    'Договор был подписан обеими сторонами, и товар находится на складе.',
    'Ja.',
  ];
  const text = paragraphs.join('\n---\n');
  const pages = { mode: 'advanced', segmentation_config: { mode: 'page' } };
  const chunks = (await writeBatches(text, pages)).flat();
  expect(chunks.map(({ language }) => language)).toEqual(['en', 'ru', 'en']);
});

test('text before the first page is indexed as a separate page', async () => {
  const pages = { mode: 'advanced', segmentation_config: { mode: 'page' } };
  const chunks = (
    await writeBatches('Intro about walrus. Second page about seals.', pages, { pageStarts: [20] })
  ).flat();
  expect(chunks.map(({ text, startPage, endPage }) => [text, startPage, endPage])).toEqual([
    ['Intro about walrus.', 0, 0],
    ['Second page about seals.', 1, 1],
  ]);
});

test('title, metadata and headings are embedded with each text but not stored in the text', async () => {
  const text = '# Tides\n\nSpring tides reach four metres.';
  const given = { embedTitle: true, title: 'manual.pdf' };
  const searchedMetadata = [
    { key: 'port', value: 'Oban' },
    { key: 'author', value: 'M. Oyelaran' },
  ];
  const plainly = await written(text, { mode: 'auto' }, given);
  const described = await written(text, { mode: 'auto' }, { ...given, searchedMetadata });
  const [chunk] = described.batches.flat();
  const headings = chunk!.headings!.map((heading) => `${heading}\n`).join('');
  expect(described.embedded).toEqual([
    `manual.pdf\nport: Oban\nauthor: M. Oyelaran\n${headings}${chunk!.text}`,
  ]);
  expect(described.document).toMatchObject({ title: 'manual.pdf', keywords: 'Oban\nM. Oyelaran' });
  expect(described.batches).toEqual(plainly.batches);
  expect(text.slice(chunk!.startChar, chunk!.endChar)).toBe(chunk!.text);
});

test.each([
  ['in one call', 'Tides.\n---\nSpring tides reach four metres.'],
  ['in several calls', 'a few words. '.repeat(200_000)],
])('weights of the learned sparse model are stored with each chunk, written %s', async (_, text) => {
  const read: string[] = [];
  const sparse: SparseEmbedder = {
    modelId: 'counts',
    async embed(texts, purpose) {
      expect(purpose).toBe('document');
      read.push(...texts);
      return texts.map((each) => ({
        indexes: Uint32Array.of(7),
        values: Float32Array.of(each.length),
      }));
    },
  };
  const whole = {
    mode: 'advanced',
    chunking_config: { mode: 'none' },
    segmentation_config: { mode: 'page' },
  };
  const given = { embedTitle: true, title: 'manual.pdf' };
  const { batches, document, embedded } = await written(text, whole, { ...given, sparse });
  expect(read).toEqual(embedded);
  expect(read[0]).toMatch(/^manual\.pdf\n/);
  expect(batches.flat().map(({ weights }) => weights!.values[0])).toEqual(read.map(({ length }) => length));
  expect(document).toMatchObject({ hasWeights: true });
  const plainly = await written(text, whole, given);
  expect(plainly.document).not.toHaveProperty('hasWeights');
  expect(plainly.batches.flat()[0]).not.toHaveProperty('weights');
});

test('a document is not indexed if the learned sparse model fails', async () => {
  const failing: SparseEmbedder = {
    modelId: 'failing',
    embed: () => Promise.reject(new Upstream('It is down.', { retryable: true })),
  };
  await expect(written('Tides.', { mode: 'auto' }, { sparse: failing })).rejects.toThrow('It is down.');
});
