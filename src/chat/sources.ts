import type { Dropped } from './checked-answer.ts';
import { citedIn } from './citations.ts';
import type { FoundChunk, PrintedBox } from './job.ts';

/** Whole files may be found; a reader is shown as much of each. */
const SHOWN_CHARACTERS = 8_000;

export type Source = ReturnType<typeof sourceOf>;
export type Citation = ReturnType<typeof citationOf>;

/** A retrieved node as a source of a UI message. `citation`: the number by which the text cites it. */
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

/** Where people open the document in the system that it came from. */
const webUrlOf = ({ metadata: { web_url: url } }: FoundChunk['chunk']) =>
  typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url) ? { web_url: url } : {};

/** The file inside the document that the node is of. */
const memberOf = ({ member }: FoundChunk['chunk']) => (member === undefined ? {} : { member_path: member });

const pagesOf = ({ startPage, endPage }: FoundChunk['chunk']) => ({
  start_page_index: startPage ?? null,
  end_page_index: endPage ?? null,
});

/** The nodes that a text cites, each once, in the order of its first mention. */
export function citationsIn(text: string, found: readonly FoundChunk[]) {
  return citedIn(text).flatMap((citation) => {
    const cited = found[citation - 1];
    return cited ? [{ citation, cited }] : [];
  });
}

/** A citation as a reader follows it: to the node, its pages (indexes from 0), and where on them it is printed. */
export function citationOf(citation: number, { chunk }: FoundChunk, boxes: PrintedBox[]) {
  return { citation, sourceId: chunk.id, ...pagesOf(chunk), ...memberOf(chunk), bounding_boxes: boxes };
}

/** A citation that was taken out of the text; it may have named no node at all. */
export function droppedOf({ citation, statement, reason }: Dropped, found: readonly FoundChunk[]) {
  return { citation, sourceId: found[citation - 1]?.chunk.id ?? null, statement, reason };
}
