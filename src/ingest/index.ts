import { derivedId } from '../ids.ts';
import { sha256 } from '../lib/hash.ts';
import { detectLanguage } from '../lib/language.ts';
import type { IndexedChunk, IndexedDocument, Metadata } from '../search/types.ts';
import type { Chunk, ChunkableDocument } from './chunking/chunker.ts';
import { chunkDocument } from './chunking/index.ts';
import { loadTokenizer } from './chunking/tokenizer.ts';
import type { TransformConfig } from './chunking/transform-config.ts';
import type { Embedder } from './embedding/embedder.ts';
import { joinPages } from './parsing/join-pages.ts';
import type { PageRange } from './parsing/page-selection.ts';
import { type ParseRequest, parseFile, storedPages } from './parsing/parse-file.ts';
import type { Sink } from './sinks/sink.ts';

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

/** A file in, published chunks out; or the page ranges that have to be parsed first. */
export async function ingestFile(
  job: IngestJob,
  request: ParseRequest,
): Promise<{ missing: PageRange[] } | IngestResult> {
  const start = performance.now();
  const { parsed, pages: fresh, missing, cached } = await parseFile(job.bucket, request, job.checkpoint);
  if (missing.length > 0) return { missing };
  const pages = fresh ?? (await Array.fromAsync(storedPages(job.bucket, request, parsed.pageCount)));
  const parse = (performance.now() - start) / 1000;
  // Pages that only show pictures have Markdown that names them, which nobody searches for.
  const readable = pages.some((page) => page.text.trim() !== '') ? pages : [];
  const result = await indexDocument(job, joinPages(readable, request.parameters));
  const pagesNeedingOcr = pages.filter((page) => page.needsOcr).map((page) => page.index);
  return {
    ...result,
    pageCount: pages.length,
    pagesNeedingOcr,
    cachedParse: cached,
    seconds: { ...result.seconds, parse },
  };
}

/** Chunks, embeds and publishes a document's text as its new version. No chunks: nothing is published. */
export async function indexDocument(job: IngestJob, document: ChunkableDocument): Promise<IngestResult> {
  const clock = stopwatch();
  const tokenizer = await loadTokenizer();
  const chunks = await chunkDocument(document, job.transform, {
    countTokens: (text) => tokenizer.count(text),
    embed: (texts) => job.embedder.embed(texts, 'document'),
  });
  const seconds = { parse: 0, chunk: clock(), embed: 0, write: 0 };
  const language = detectLanguage(document.text.slice(0, 20_000));
  const { documentId, version, title, metadata } = job;
  const indexed: IndexedDocument = { documentId, version, title, metadata };
  for (let from = 0; from < chunks.length; from += job.sink.batchSize) {
    await job.checkpoint();
    const batch = chunks.slice(from, from + job.sink.batchSize);
    clock();
    const vectors = await job.embedder.embed(
      batch.map((chunk) => embeddedText(job, chunk)),
      'document',
    );
    seconds.embed += clock();
    await job.sink.stage(indexed, await toIndexed(job, batch, vectors, from, language));
    seconds.write += clock();
  }
  await job.checkpoint();
  if (chunks.length > 0) await job.sink.publish(documentId, version, chunks.length);
  seconds.write += clock();
  return {
    pageCount: document.pageStarts.length,
    chunkCount: chunks.length,
    pagesNeedingOcr: [],
    cachedParse: false,
    seconds,
  };
}

/** What a chunk's vector stands for: where it comes from, what it is about, what it says. */
function embeddedText(job: IngestJob, chunk: Chunk): string {
  return [job.embedTitle ? job.title : '', ...chunk.headings, chunk.text].filter(Boolean).join('\n');
}

function toIndexed(
  job: IngestJob,
  chunks: Chunk[],
  vectors: Float32Array[],
  firstPosition: number,
  language: string | undefined,
): Promise<IndexedChunk[]> {
  return Promise.all(
    chunks.map(async (chunk, offset) => {
      const position = firstPosition + offset;
      return {
        id: await derivedId(job.pipelineId, job.documentId, job.version, position),
        position,
        hash: await sha256(chunk.text),
        vector: vectors[offset]!,
        ...(language && { language }),
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
