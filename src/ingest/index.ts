import { derivedId } from '#src/ids.ts';
import { breathe } from '#src/lib/breathe.ts';
import { sha256 } from '#src/lib/hash.ts';
import { detectLanguage } from '#src/lib/language.ts';
import type { Embedder } from '#src/models/embedding/embedder.ts';
import type { DocumentParser } from '#src/parsing/client.ts';
import type { PageRange } from '#src/parsing/page-selection.ts';
import { storedPages } from '#src/parsing/page-store.ts';
import type { FileRequest } from '#src/parsing/service.ts';
import type { IndexedChunk, IndexedDocument, Metadata } from '#src/search/types.ts';
import type { Sink, SinkCapabilities } from '#src/sinks/sink.ts';
import { chunkLanguage } from './chunk-language.ts';
import type { Chunk, ChunkableDocument } from './chunking/chunker.ts';
import { chunkDocument } from './chunking/index.ts';
import { pagesFromStart } from './chunking/page-spans.ts';
import { loadTokenizer } from './chunking/tokenizer.ts';
import type { TransformConfig } from './chunking/transform-config.ts';
import { chunkableText } from './join-pages.ts';
import { embeddedLines, keywordsOf, type MetadataEntry } from './searched-metadata.ts';

/** Everything that turns one document into published chunks; opened by whoever owns the work. */
export interface IngestJob {
  documentId: string;
  /** Orders this attempt against others and against removals, see Shard. */
  version: number;
  pipelineId: string;
  title: string;
  metadata: Metadata;
  transform: TransformConfig;
  /** Whether the title is part of what is embedded. */
  embedTitle: boolean;
  /** What of its metadata is embedded and searched with each chunk. */
  searchedMetadata: MetadataEntry[];
  /** Hash of what is embedded besides headings and text; known vectors with another one are made anew. */
  contextHash: string;
  embedder: Embedder;
  sink: Sink;
  bucket: R2Bucket;
  /** Called between steps; throws when nobody wants the result any more. */
  checkpoint(): Promise<void>;
}

export interface IngestResult {
  pageCount: number;
  chunkCount: number;
  /** 0-based pages that show something but have no text that could be read. */
  pagesNeedingOcr: number[];
  /** Equal bytes had been parsed before. */
  cachedParse: boolean;
  seconds: { parse: number; chunk: number; embed: number; write: number };
}

/** The document was removed, or indexed by somebody else, while it was being indexed: its version counts no more. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor(documentId: string) {
    super(`${documentId} was removed or replaced while it was being indexed.`);
  }
}

/** A file in, published chunks out; or the page ranges that have to be parsed first. */
export async function ingestFile(
  job: IngestJob,
  request: FileRequest,
  parser: Pick<DocumentParser, 'parseFile'>,
): Promise<{ missing: PageRange[] } | IngestResult> {
  const start = performance.now();
  const { parsed, pages: fresh, missing, cached } = await parser.parseFile(request, job.checkpoint);
  if (missing.length > 0) return { missing };
  const pages = fresh ?? (await Array.fromAsync(storedPages(job.bucket, request, parsed.pageCount)));
  const parse = (performance.now() - start) / 1000;
  const result = await indexDocument(job, chunkableText(pages, request.parameters));
  const pagesNeedingOcr = pages.filter((page) => page.needsOcr).map((page) => page.index);
  return {
    ...result,
    pageCount: pages.length,
    pagesNeedingOcr,
    cachedParse: cached,
    seconds: { ...result.seconds, parse },
  };
}

/**
 * Chunks, embeds and publishes a document's text as its new version. No chunks: nothing is published. Rejects with
 * Overtaken when queries do not see that version.
 */
export async function indexDocument(job: IngestJob, document: ChunkableDocument): Promise<IngestResult> {
  const clock = stopwatch();
  const tokenizer = await loadTokenizer();
  const chunks = await chunkDocument(document, job.transform, {
    countTokens: (text) => tokenizer.count(text),
    embed: (texts) => job.embedder.embed(texts, 'document'),
    pause: () => breathe(job.checkpoint),
  });
  const seconds = { parse: 0, chunk: clock(), embed: 0, write: 0 };
  const language = detectLanguage(document.text.slice(0, 20_000));
  const { sink, documentId, version, title, metadata } = job;
  const keywords = keywordsOf(job.searchedMetadata);
  const indexed: IndexedDocument = { documentId, version, title, keywords, metadata };
  let from = 0;
  for (const batch of batchesOf(chunks, sink.capabilities.batch)) {
    await job.checkpoint();
    clock();
    const vectors = await job.embedder.embed(
      batch.map((chunk) => embeddedText(job, chunk)),
      'document',
    );
    seconds.embed += clock();
    if (from === 0) await sink.ensure(vectors[0]!.length);
    const ready = await toIndexed(job, batch, vectors, { from, of: chunks.length, language });
    const isLast = from + batch.length === chunks.length;
    if (!isLast) await sink.stage(indexed, ready);
    else {
      await job.checkpoint();
      const isSeen = await sink.publish(indexed, ready, chunks.length);
      if (!isSeen) throw new Overtaken(documentId);
    }
    seconds.write += clock();
    from += batch.length;
  }
  return {
    pageCount: pagesFromStart(document.pageStarts).length,
    chunkCount: chunks.length,
    pagesNeedingOcr: [],
    cachedParse: false,
    seconds,
  };
}

/** As much in each as one call carries: fewer of long ones. */
function* batchesOf(chunks: Chunk[], most: SinkCapabilities['batch']): Generator<Chunk[]> {
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

/** What a chunk's vector stands for: where it comes from, what is said of that, what it is about, what it says. */
function embeddedText(job: IngestJob, { headings, text }: Chunk): string {
  const title = job.embedTitle ? job.title : '';
  return [title, embeddedLines(job.searchedMetadata, text), ...headings, text].filter(Boolean).join('\n');
}

async function toIndexed(
  job: IngestJob,
  chunks: Chunk[],
  vectors: Float32Array[],
  at: { from: number; of: number; language: string | undefined },
): Promise<IndexedChunk[]> {
  const { from, of, language } = at;
  const idAt = (position: number) => derivedId(job.pipelineId, job.documentId, job.version, position);
  const last = chunks.length - 1;
  return Promise.all(
    chunks.map(async (chunk, offset) => {
      const position = from + offset;
      const own = chunkLanguage(chunk.text, language);
      return {
        id: await idAt(position),
        position,
        hash: await sha256(chunk.text),
        vector: vectors[offset]!,
        ...(own && { language: own }),
        // A sink may put the next batch elsewhere.
        ...(offset === 0 && position > 0 && { previousId: await idAt(position - 1) }),
        ...(offset === last && position + 1 < of && { nextId: await idAt(position + 1) }),
        ...chunk,
      };
    }),
  );
}

/** Each call gives the seconds since the one before. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = (now - last) / 1000;
    last = now;
    return seconds;
  };
}
