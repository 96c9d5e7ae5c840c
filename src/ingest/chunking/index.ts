import type { Chunk, ChunkableDocument, Chunker, ChunkTools, ReadDocument, Segment } from './chunker.ts';
import { autoChunker } from './chunkers/auto.ts';
import { headingsIn } from './headings.ts';
import { cutLarge } from './largest-chunk.ts';
import { textBlocks } from './markdown-blocks.ts';
import { memberParts } from './member-parts.ts';
import { MOST_CHUNKS, tooManyChunks } from './most-chunks.ts';
import { pageSpans, pagesFromStart } from './page-spans.ts';
import { trim } from './ranges.ts';
import { chunkerFor, segmentsOf } from './registry.ts';
import type { TransformConfig } from './transform-config.ts';

/**
 * Cuts a document into chunks, in the order of the text. `text.slice(startChar, endChar)` is always the
 * chunk's text; no chunk is blank or larger than an index can store, and a document that is not blank has at least
 * one.
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

/** Found by its file's path, and by the headings in that. */
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
