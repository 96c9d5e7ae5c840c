import type { Dropped } from './checked-answer.ts';
import { citedIn } from './citations.ts';
import type { FoundChunk, PrintedBox } from './job.ts';

/** Maximum characters of a source that a reader is shown. Retrieval may return whole files. */
const SHOWN_CHARACTERS = 8_000;

export type Source = ReturnType<typeof sourceOf>;
export type Citation = ReturnType<typeof citationOf>;

/**
 * Converts a retrieved node to a source of a UI message. `citation` is the number by which the text cites it.
 */
export function sourceOf({ chunk, score, fileId, pipelineId, pipelineName }: FoundChunk, citation: number) {
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
        node_id: chunk.id,
        pipeline_id: pipelineId,
        ...(pipelineName !== undefined && { retriever_pipeline_name: pipelineName }),
        document_id: chunk.documentId,
        file_id: fileId,
        ...pagesOf(chunk),
        page_label: chunk.startPage === undefined ? null : String(chunk.startPage + 1),
        ...memberOf(chunk),
        ...webUrlOf(chunk),
      },
    },
  };
}

/** Returns the browser address of the document in its source system. */
const webUrlOf = ({ metadata: { web_url: url } }: FoundChunk['chunk']) =>
  typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url) ? { web_url: url } : {};

/** Returns the path of the file inside the document that contains the node. */
const memberOf = ({ member }: FoundChunk['chunk']) => (member === undefined ? {} : { member_path: member });

const pagesOf = ({ startPage, endPage }: FoundChunk['chunk']) => ({
  start_page_index: startPage ?? null,
  end_page_index: endPage ?? null,
});

/** Returns the cited nodes of a text, each once, in the order of first mention. */
export function citationsIn(text: string, found: readonly FoundChunk[]) {
  return citedIn(text).flatMap((citation) => {
    const cited = found[citation - 1];
    return cited ? [{ citation, cited }] : [];
  });
}

/** Returns a citation with its node, its pages (0-based) and the boxes where it is printed. */
export function citationOf(citation: number, { chunk }: FoundChunk, boxes: PrintedBox[]) {
  return { citation, sourceId: chunk.id, ...pagesOf(chunk), ...memberOf(chunk), bounding_boxes: boxes };
}

/** Returns a citation that was removed from the text. It may not refer to any node. */
export function droppedOf({ citation, statement, reason }: Dropped, found: readonly FoundChunk[]) {
  return { citation, sourceId: found[citation - 1]?.chunk.id ?? null, statement, reason };
}
