import type { ChunkableDocument } from './chunker.ts';

/** Pages of one file inside the document, or of the document itself. */
interface MemberPart {
  document: ChunkableDocument;
  member: string | undefined;
  /** Where the part begins in the whole document. */
  firstPage: number;
  startChar: number;
}

/** The document in stretches of pages that are of one file each; documents without files inside them are one stretch. */
export function memberParts(document: ChunkableDocument): MemberPart[] {
  const { text, pageStarts, pages } = document;
  const pathAt = (index: number) => pages[index]?.member?.path;
  const whole = { document, member: undefined, firstPage: 0, startChar: 0 };
  if (pages.length !== pageStarts.length || !pages.some(({ member }) => member)) return [whole];
  const parts: MemberPart[] = [];
  for (let first = 0; first < pages.length; ) {
    let end = first + 1;
    while (end < pages.length && pathAt(end) === pathAt(first)) end += 1;
    // What stands before the first page belongs to it.
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
