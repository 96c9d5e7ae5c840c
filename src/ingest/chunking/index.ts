import type { Chunk, ChunkableDocument, Chunker, ChunkTools, ReadDocument, Segment } from './chunker.ts';
import { autoChunker } from './chunkers/auto.ts';
import { type TextBlock, textBlocks } from './markdown-blocks.ts';
import { MOST_CHUNKS, tooManyChunks } from './most-chunks.ts';
import { pageSpans, pagesFromStart } from './page-spans.ts';
import { type Range, trim } from './ranges.ts';
import { chunkerFor, segmentsOf } from './registry.ts';
import type { TransformConfig } from './transform-config.ts';

/** Consecutive pages of one file inside the document, or of the document itself. */
interface MemberPart {
  document: ChunkableDocument;
  member: string | undefined;
  /** First page of the part in the whole document. */
  firstPage: number;
  startChar: number;
}

/** Maximum bytes of a chunk in UTF-8, which is half the platform's limit of a row. */
export const LARGEST_CHUNK_BYTES = 1_000_000;

/** Characters before the limit within which a line or word end is preferred. */
const NEAR = 2_000;

/**
 * Splits a document into chunks in text order. `text.slice(startChar, endChar)` is always the chunk's text.
 * No chunk is blank or larger than the index allows, and a document that is not blank has at least one chunk.
 */
export async function chunkDocument(
  given: ChunkableDocument,
  config: TransformConfig,
  tools: ChunkTools,
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (const { document, member, firstPage, startChar } of memberParts(given)) {
    for (const chunk of await chunkPart(document, config, tools, MOST_CHUNKS - chunks.length)) {
      chunks.push(member === undefined ? chunk : ofMember(chunk, { member, firstPage, startChar }));
    }
  }
  return chunks;
}

/** Adds the file's path to a chunk and shifts its offsets to the whole document. */
function ofMember(chunk: Chunk, at: { member: string; firstPage: number; startChar: number }): Chunk {
  const { startPage = 0, endPage = 0, headings } = chunk;
  return {
    ...chunk,
    startChar: chunk.startChar + at.startChar,
    endChar: chunk.endChar + at.startChar,
    startPage: startPage + at.firstPage,
    endPage: endPage + at.firstPage,
    member: at.member,
    headings: [at.member, ...headings.filter((heading) => heading !== at.member)],
  };
}

async function chunkPart(
  given: ChunkableDocument,
  config: TransformConfig,
  tools: ChunkTools,
  most: number,
): Promise<Chunk[]> {
  const paged = { ...given, pageStarts: pagesFromStart(given.pageStarts) };
  const document: ReadDocument = { ...paged, blocks: await textBlocks(paged, tools) };
  const { segments, chunker } = plan(document, config);
  const headingsAt = headingsIn(document.blocks);
  const pagesOf = pageSpans(document.pageStarts);
  const chunks: Chunk[] = [];
  for (const segment of segments) {
    if (segment.text.trim() === '') continue;
    for (const range of await chunker.split(segment, tools)) {
      for (const part of cutLarge(document.text, { start: range.startChar, end: range.endChar })) {
        const { start, end } = trim(document.text, part);
        if (start === end) continue;
        if (chunks.length === most) throw tooManyChunks();
        chunks.push({
          text: document.text.slice(start, end),
          startChar: start,
          endChar: end,
          ...pagesOf(start, end),
          headings: headingsAt(start),
        });
      }
    }
  }
  return chunks;
}

function plan(document: ReadDocument, config: TransformConfig): { segments: Segment[]; chunker: Chunker } {
  switch (config.mode) {
    case 'auto':
      return { segments: segmentsOf(document, { mode: 'none' }), chunker: autoChunker(config) };
    case 'advanced':
      return {
        segments: segmentsOf(document, config.segmentation_config),
        chunker: chunkerFor(config.chunking_config),
      };
  }
}

/**
 * Creates a lookup of the headings above an offset, outermost first. A heading applies from its own start.
 */
function headingsIn(blocks: readonly TextBlock[]): (offset: number) => string[] {
  const starts: number[] = [];
  const paths: string[][] = [];
  let path: { level: number; title: string }[] = [];
  for (const { kind, start, level, title } of blocks) {
    if (kind !== 'heading') continue;
    path = path.filter((heading) => heading.level < level!);
    if (title) path.push({ level: level!, title });
    starts.push(start);
    paths.push(path.map((heading) => heading.title));
  }
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return paths[low - 1]?.slice() ?? [];
  };
}

/** Splits a range into ranges that the index can store. */
function cutLarge(text: string, { start, end }: Range): Range[] {
  // A UTF-16 code unit takes at most three bytes.
  if ((end - start) * 3 <= LARGEST_CHUNK_BYTES) return [{ start, end }];
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(LARGEST_CHUNK_BYTES);
  const ranges: Range[] = [];
  for (let from = start; from < end; from = ranges.at(-1)!.end) {
    const { read } = encoder.encodeInto(text.slice(from, Math.min(end, from + LARGEST_CHUNK_BYTES)), bytes);
    ranges.push({ start: from, end: from + read < end ? goodEnd(text, from + read) : end });
  }
  return ranges;
}

function goodEnd(text: string, limit: number): number {
  const near = text.slice(limit - NEAR, limit);
  for (const gap of ['\n', ' ']) {
    const at = near.lastIndexOf(gap);
    if (at !== -1) return limit - NEAR + at + 1;
  }
  return limit;
}

/** Divides the document into runs of pages that belong to one file. Without files inside there is one run. */
function memberParts(document: ChunkableDocument): MemberPart[] {
  const { text, pageStarts, pages } = document;
  const pathAt = (index: number) => pages[index]?.member?.path;
  const whole = { document, member: undefined, firstPage: 0, startChar: 0 };
  if (pages.length !== pageStarts.length || !pages.some(({ member }) => member)) return [whole];
  const parts: MemberPart[] = [];
  for (let first = 0; first < pages.length; ) {
    let end = first + 1;
    while (end < pages.length && pathAt(end) === pathAt(first)) end += 1;
    // Text before the first page belongs to the first page.
    const startChar = first === 0 ? 0 : pageStarts[first]!;
    const part = {
      text: text.slice(startChar, pageStarts[end] ?? text.length),
      pageStarts: pageStarts.slice(first, end).map((start) => start - startChar),
      pages: pages.slice(first, end),
    };
    parts.push({ document: part, member: pathAt(first), firstPage: first, startChar });
    first = end;
  }
  return parts;
}
