import { createTooManyChunksError, MAX_CHUNKS } from './chunk-limit.ts';
import type { Chunk, ChunkableDocument, Chunker, ChunkTools, ReadDocument, Segment } from './chunker.ts';
import { autoChunker } from './chunkers/auto.ts';
import { readTextBlocks, type TextBlock } from './markdown-blocks.ts';
import { addLeadingPage, createPageLookup } from './page-spans.ts';
import { type Range, trim } from './ranges.ts';
import { createChunker, splitIntoSegments } from './registry.ts';
import type { TransformConfig } from './transform-config.ts';

/** Consecutive pages that belong to one nested file, such as an attachment, or to the document itself. */
interface MemberPart {
  document: ChunkableDocument;
  member: string | undefined;
  firstPage: number;
  startChar: number;
}

/**
 * Maximum size of a chunk in UTF-8 bytes. It is half of Cloudflare's limit for the size of a database row.
 */
export const MAX_CHUNK_BYTES = 1_000_000;

/**
 * Number of characters before the size limit that are searched for the end of a line or word, where the text
 * is preferably split.
 */
const MAX_LOOKBACK = 2_000;

/**
 * Splits a document into chunks in text order. `text.slice(startChar, endChar)` is always the text of the
 * chunk. No chunk is blank or larger than the index allows. A document that is not blank has at least one
 * chunk.
 */
export async function chunkDocument(
  given: ChunkableDocument,
  config: TransformConfig,
  tools: ChunkTools,
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (const { document, member, firstPage, startChar } of splitByMember(given)) {
    for (const chunk of await chunkPart(document, config, tools, MAX_CHUNKS - chunks.length)) {
      chunks.push(member === undefined ? chunk : addMember(chunk, { member, firstPage, startChar }));
    }
  }
  return chunks;
}

/**
 * Adds the path of the nested file to a chunk, and converts the chunk's offsets to offsets in the whole
 * document.
 */
function addMember(chunk: Chunk, at: { member: string; firstPage: number; startChar: number }): Chunk {
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
  const paged = { ...given, pageStarts: addLeadingPage(given.pageStarts) };
  const document: ReadDocument = { ...paged, blocks: await readTextBlocks(paged, tools) };
  const { segments, chunker } = planChunking(document, config);
  const headingsAt = createHeadingLookup(document.blocks);
  const findPages = createPageLookup(document.pageStarts);
  const chunks: Chunk[] = [];
  for (const segment of segments) {
    if (segment.text.trim() === '') continue;
    for (const range of await chunker.split(segment, tools)) {
      for (const part of splitLargeRange(document.text, { start: range.startChar, end: range.endChar })) {
        const { start, end } = trim(document.text, part);
        if (start === end) continue;
        if (chunks.length === most) throw createTooManyChunksError();
        chunks.push({
          text: document.text.slice(start, end),
          startChar: start,
          endChar: end,
          ...findPages(start, end),
          headings: headingsAt(start),
        });
      }
    }
  }
  return chunks;
}

function planChunking(
  document: ReadDocument,
  config: TransformConfig,
): { segments: Segment[]; chunker: Chunker } {
  switch (config.mode) {
    case 'auto':
      return { segments: splitIntoSegments(document, { mode: 'none' }), chunker: autoChunker(config) };
    case 'advanced':
      return {
        segments: splitIntoSegments(document, config.segmentation_config),
        chunker: createChunker(config.chunking_config),
      };
  }
}

/**
 * Returns a function that finds the headings above an offset, outermost first. A heading applies from its own
 * start.
 */
function createHeadingLookup(blocks: readonly TextBlock[]): (offset: number) => string[] {
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

/** Splits a range of text into ranges that do not exceed the maximum chunk size of the index. */
function splitLargeRange(text: string, { start, end }: Range): Range[] {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so a short range need not be encoded.
  if ((end - start) * 3 <= MAX_CHUNK_BYTES) return [{ start, end }];
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(MAX_CHUNK_BYTES);
  const ranges: Range[] = [];
  for (let from = start; from < end; from = ranges.at(-1)!.end) {
    const { read } = encoder.encodeInto(text.slice(from, Math.min(end, from + MAX_CHUNK_BYTES)), bytes);
    ranges.push({ start: from, end: from + read < end ? findSplitPoint(text, from + read) : end });
  }
  return ranges;
}

function findSplitPoint(text: string, limit: number): number {
  const near = text.slice(limit - MAX_LOOKBACK, limit);
  for (const gap of ['\n', ' ']) {
    const at = near.lastIndexOf(gap);
    if (at !== -1) return limit - MAX_LOOKBACK + at + 1;
  }
  return limit;
}

/**
 * Divides the document into parts whose pages belong to the same file. A document without nested files is one
 * part.
 */
function splitByMember(document: ChunkableDocument): MemberPart[] {
  const { text, pageStarts, pages } = document;
  const pathAt = (index: number) => pages[index]?.member?.path;
  const whole = { document, member: undefined, firstPage: 0, startChar: 0 };
  if (pages.length !== pageStarts.length || !pages.some(({ member }) => member)) return [whole];
  const parts: MemberPart[] = [];
  for (let first = 0; first < pages.length; ) {
    let end = first + 1;
    while (end < pages.length && pathAt(end) === pathAt(first)) end += 1;
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
