import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';

const CHUNKS_PER_READ = 500;
/** A longer file is returned up to here. Characters. */
const LONGEST_FILE = 1_000_000;

/**
 * A document's chunks as one node that holds the whole text, put together by their character ranges; what chunking
 * left out between two chunks was white space, of which only the length is known. Undefined when the document has no chunks (any more).
 */
export async function readWhole(
  sink: Sink,
  documentId: string,
): Promise<{ chunk: StoredChunk; isCut: boolean } | undefined> {
  let whole: StoredChunk | undefined;
  let text = '';
  let end = 0;
  for (let from = 0; ; from += CHUNKS_PER_READ) {
    const chunks = await sink.chunksOf(documentId, { from, limit: CHUNKS_PER_READ });
    for (const chunk of chunks) {
      whole ??= { ...chunk, id: documentId, position: 0, headings: [] };
      const gap = chunk.startChar - end;
      if (gap > 0 && text !== '') text += gap > 1 ? '\n\n' : between(text, chunk.text);
      text += gap < 0 ? chunk.text.slice(-gap) : chunk.text;
      end = Math.max(end, chunk.endChar);
      whole.endChar = end;
      if (chunk.endPage !== undefined) whole.endPage = Math.max(whole.endPage ?? 0, chunk.endPage);
      if (text.length > LONGEST_FILE) break;
    }
    if (chunks.length < CHUNKS_PER_READ || text.length > LONGEST_FILE) break;
  }
  if (!whole) return undefined;
  const { previousId: _, nextId: __, ...alone } = whole;
  const isCut = text.length > LONGEST_FILE;
  return { chunk: { ...alone, text: isCut ? text.slice(0, LONGEST_FILE) : text }, isCut };
}

/** How far back the end of a text is looked at. */
const TAIL = 300;
/** A line that means something as a line: of a table, list, quote, code or record, or a heading. */
const BLOCK_LINE = /^\s*(?:[|#>*+-]|\d+[.)]\s)|[|;{}]\s*$|[^\d\s][,;]\S|\t/;
const SENTENCE_END = /[.!?…。]["'”’»)\]]*$/;

/**
 * One white space between two chunks. A line break where a space was changes nothing in prose, but a space for a line
 * break ruins tables and lists: so a space only where running text is seen to go on.
 */
function between(before: string, after: string): string {
  const last = before.slice(-TAIL).split('\n').at(-1)!;
  const first = after.slice(0, TAIL).split('\n', 1)[0]!;
  if (BLOCK_LINE.test(last) || BLOCK_LINE.test(first)) return '\n';
  const goesOn = SENTENCE_END.test(last) || (/[\p{L},]$/u.test(last) && /^\p{Ll}/u.test(first));
  return goesOn ? ' ' : '\n';
}
