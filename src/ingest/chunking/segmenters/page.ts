import type { ChunkableDocument, Segment } from '#src/ingest/chunking/chunker.ts';
import type { SegmentationConfig } from '#src/ingest/chunking/transform-config.ts';

/**
 * One segment a page, without the separator that closes it. Documents without pages are divided at the
 * separator itself.
 */
export function segmentByPage(
  { text, pageStarts, pages }: ChunkableDocument,
  { page_separator: separator }: Extract<SegmentationConfig, { mode: 'page' }>,
): Segment[] {
  if (pageStarts.length === 0) return splitAt(text, separator);
  return pageStarts.map((startChar, index) => {
    const page = text.slice(startChar, pageStarts[index + 1] ?? text.length);
    const blocks = pages[index]?.blocks;
    const closed = separator !== '' && page.endsWith(separator);
    return {
      text: closed ? page.slice(0, -separator.length) : page,
      startChar,
      ...(blocks && { blocks }),
    };
  });
}

function splitAt(text: string, separator: string): Segment[] {
  if (separator === '') return [{ text, startChar: 0 }];
  let startChar = 0;
  return text.split(separator).map((part) => {
    const segment = { text: part, startChar };
    startChar += part.length + separator.length;
    return segment;
  });
}
