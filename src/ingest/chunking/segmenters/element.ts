import type { ReadDocument, Segment } from '#src/ingest/chunking/chunker.ts';

/**
 * Makes each table and each code block a segment, together with the headings above it. Running text is one
 * segment from heading to heading, including its headings.
 */
export function segmentByElement({ text, blocks }: ReadDocument): Segment[] {
  const segments: { start: number; end: number; whole: boolean; hasBody: boolean }[] = [];
  for (const { kind, start, end } of blocks) {
    const last = segments.at(-1);
    const whole = kind === 'table' || kind === 'code';
    const joins =
      last &&
      !last.whole &&
      (kind === 'heading' ? !last.hasBody : !whole || (last.hasBody === false && whole));
    if (joins) {
      last.end = end;
      last.hasBody ||= kind !== 'heading';
      last.whole ||= whole;
    } else {
      segments.push({ start, end, whole, hasBody: kind !== 'heading' });
    }
  }
  return segments.map(({ start, end }) => ({ text: text.slice(start, end), startChar: start }));
}
