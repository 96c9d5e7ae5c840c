import { detectLanguage } from '#src/languages/detect.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { derivedId } from '#src/lib/ids.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { IndexedChunk, IndexedDocument, SparseVector } from '#src/ports/index-types.ts';
import type { SinkCapabilities } from '#src/ports/sink.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { detectChunkLanguage } from './chunk-language.ts';
import type { Chunk, ChunkableDocument } from './chunking/chunker.ts';
import { chunkDocument } from './chunking/index.ts';
import { addLeadingPage } from './chunking/page-spans.ts';
import type { IngestJob, IngestResult } from './job.ts';
import { buildEmbeddedLines, buildKeywords } from './searched-metadata.ts';

export interface PreparedDocument {
  job: IngestJob;
  chunks: Chunk[];
  indexed: IndexedDocument;
  language: string | undefined;
  pageCount: number;
  seconds: number;
}

export async function prepareDocument(
  job: IngestJob,
  document: ChunkableDocument,
): Promise<PreparedDocument> {
  const clock = startStopwatch();
  const tokenizer = await loadTokenizer();
  const chunks = await chunkDocument(document, job.transform, {
    countTokens: (text) => tokenizer.count(text),
    embed: (texts) => job.embedder.embed(texts, 'document'),
    pause: () => yieldToEventLoop(job.checkpoint),
  });
  const { documentId, version, title, metadata } = job;
  const keywords = buildKeywords(job.searchedMetadata);
  return {
    job,
    chunks,
    indexed: { documentId, version, title, keywords, metadata, ...(job.sparse && { hasWeights: true }) },
    language: detectLanguage(document.text.slice(0, 20_000)),
    pageCount: addLeadingPage(document.pageStarts).length,
    seconds: clock(),
  };
}

export function buildResult(
  { chunks, pageCount, seconds }: PreparedDocument,
  { embed, write }: Pick<IngestResult['seconds'], 'embed' | 'write'>,
): IngestResult {
  return {
    pageCount,
    chunkCount: chunks.length,
    pagesNeedingOcr: [],
    failedPages: [],
    cachedParse: false,
    seconds: { parse: 0, chunk: seconds, embed, write },
  };
}

/**
 * Groups chunks into batches that one call of the data sink accepts. The sink limits the number of chunks and
 * their size in bytes.
 */
export function* splitIntoBatches(chunks: Chunk[], most: SinkCapabilities['batch']): Generator<Chunk[]> {
  const encoder = new TextEncoder();
  let batch: Chunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const size = encoder.encode(chunk.text).length;
    if (batch.length === most.chunks || (batch.length > 0 && bytes + size > most.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(chunk);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the text that models embed for a chunk: title, metadata, headings and text. */
export function buildEmbeddedText(
  job: Pick<IngestJob, 'embedTitle' | 'title' | 'searchedMetadata'>,
  { headings, text }: Pick<Chunk, 'headings' | 'text'>,
): string {
  const title = job.embedTitle ? job.title : '';
  return [title, buildEmbeddedLines(job.searchedMetadata, text), ...headings, text]
    .filter(Boolean)
    .join('\n');
}

/** Vector of a text and, if the index has a learned sparse model, the weights that the model gives to its terms. */
export interface EmbeddedText {
  vector: Float32Array;
  weights?: SparseVector;
}

/** Embeds texts with the models of an index. Both models read the same texts, at the same time. */
export async function embedTexts(
  { embedder, sparse }: Pick<IngestJob, 'embedder' | 'sparse'>,
  texts: string[],
): Promise<EmbeddedText[]> {
  const [vectors, weights] = await Promise.all([
    embedder.embed(texts, 'document'),
    sparse?.embed(texts, 'document'),
  ]);
  return vectors.map((vector, at) => ({ vector, ...(weights && { weights: weights[at]! }) }));
}

export async function toIndexedChunks(
  { job, language, chunks: { length: of } }: PreparedDocument,
  chunks: Chunk[],
  embedded: EmbeddedText[],
  from = 0,
): Promise<IndexedChunk[]> {
  const idAt = (position: number) => derivedId(job.pipelineId, job.documentId, job.version, position);
  const last = chunks.length - 1;
  return Promise.all(
    chunks.map(async (chunk, offset) => {
      const position = from + offset;
      const own = detectChunkLanguage(chunk.text, language);
      return {
        id: await idAt(position),
        position,
        hash: await sha256(chunk.text),
        ...embedded[offset]!,
        ...(own && { language: own }),
        // The ids of the previous and next chunk are stored with a chunk, because a data sink may store the
        // next batch in another shard.
        ...(offset === 0 && position > 0 && { previousId: await idAt(position - 1) }),
        ...(offset === last && position + 1 < of && { nextId: await idAt(position + 1) }),
        ...chunk,
      };
    }),
  );
}

/** Creates a stopwatch: a function that returns the seconds since its last call. */
export function startStopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = (now - last) / 1000;
    last = now;
    return seconds;
  };
}
