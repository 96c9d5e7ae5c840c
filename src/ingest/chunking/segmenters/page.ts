import type { ReadDocument, Segment } from '#src/ingest/chunking/chunker.ts';
import type { SegmentationConfig } from '#src/ingest/chunking/transform-config.ts';

/**
 * Creates one segment per page. Each page is also split at `page_separator`, which marks the end of pages in
 * text files.
 */
export function segmentByPage(
  { text, pageStarts }: ReadDocument,
  { page_separator: separator }: Extract<SegmentationConfig, { mode: 'page' }>,
): Segment[] {
  if (pageStarts.length === 0) return splitAt(text, 0, separator);
  return pageStarts.flatMap((start, index) =>
    splitAt(text.slice(start, pageStarts[index + 1] ?? text.length), start, separator),
  );
}

function splitAt(text: string, start: number, separator: string): Segment[] {
  if (separator === '') return [{ text, startChar: start }];
  let startChar = start;
  return text.split(separator).map((part) => {
    const segment = { text: part, startChar };
    startChar += part.length + separator.length;
    return segment;
  });
}
