import type { RankedChunk } from '#src/retrieval/index.ts';
import type { StoredChunk } from '#src/search/types.ts';
import type { Dropped } from './checked-answer.ts';
import { citedIn } from './citations.ts';
import type { PrintedBox } from './job.ts';

/** Whole files may be found; a reader is shown as much of each. */
const SHOWN_CHARACTERS = 8_000;

/** A retrieved node as a source of a UI message. `citation`: the number by which the text cites it. */
export function sourceOf({ chunk, score }: RankedChunk, citation: number) {
  const isCut = chunk.text.length > SHOWN_CHARACTERS;
  return {
    type: 'source-document' as const,
    sourceId: chunk.id,
    mediaType: 'text/plain',
    title: chunk.title,
    filename: chunk.title,
    providerMetadata: {
      sluice: {
        citation,
        score,
        text: isCut ? chunk.text.slice(0, SHOWN_CHARACTERS) : chunk.text,
        ...(isCut && { text_cut: true }),
        file_id: String(chunk.metadata.file_id ?? chunk.documentId),
        start_page_index: chunk.startPage ?? null,
        end_page_index: chunk.endPage ?? null,
        page_label: chunk.startPage === undefined ? null : String(chunk.startPage + 1),
      },
    },
  };
}

/** The nodes that a text cites, each once, in the order of its first mention. */
export function citationsIn(text: string, found: readonly RankedChunk[]) {
  return citedIn(text).flatMap((citation) => {
    const ranked = found[citation - 1];
    return ranked ? [{ citation, chunk: ranked.chunk }] : [];
  });
}

/** A citation as a reader follows it: to the node, its pages (indexes from 0), and where on them it is printed. */
export function citationOf(citation: number, chunk: StoredChunk, boxes: PrintedBox[]) {
  return {
    citation,
    sourceId: chunk.id,
    start_page_index: chunk.startPage ?? null,
    end_page_index: chunk.endPage ?? null,
    bounding_boxes: boxes,
  };
}

/** A citation that was taken out of the text; it may have named no node at all. */
export function droppedOf({ citation, statement, reason }: Dropped, found: readonly RankedChunk[]) {
  return { citation, sourceId: found[citation - 1]?.chunk.id ?? null, statement, reason };
}
