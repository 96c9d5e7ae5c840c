import type { RankedChunk } from '#src/retrieval/index.ts';
import { citedIn } from './citations.ts';

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
    return ranked ? [{ citation, sourceId: ranked.chunk.id }] : [];
  });
}
