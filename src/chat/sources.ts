import type { DroppedCitation } from './check-citations.ts';
import { listCitedNumbers } from './citations.ts';
import type { TextRange } from './cited-sentences.ts';
import type { FoundChunk, PrintedBox } from './job.ts';

/**
 * Maximum number of characters of one source that are sent to the client. The limit is needed because
 * retrieval may return whole files.
 */
const MAX_SOURCE_CHARACTERS = 8_000;

export type Source = ReturnType<typeof toSource>;
export type Citation = ReturnType<typeof toCitation>;

/**
 * Converts a retrieved chunk to a source of an AI SDK message. `citation` is the number by which the answer
 * cites the chunk.
 */
export function toSource({ chunk, score, fileId, pipelineId, pipelineName }: FoundChunk, citation: number) {
  const isCut = chunk.text.length > MAX_SOURCE_CHARACTERS;
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
        text: isCut ? chunk.text.slice(0, MAX_SOURCE_CHARACTERS) : chunk.text,
        ...(isCut && { text_cut: true }),
        node_id: chunk.id,
        pipeline_id: pipelineId,
        ...(pipelineName !== undefined && { retriever_pipeline_name: pipelineName }),
        document_id: chunk.documentId,
        file_id: fileId,
        ...getPageRange(chunk),
        page_label: chunk.startPage === undefined ? null : String(chunk.startPage + 1),
        ...getMemberPath(chunk),
        ...getWebUrl(chunk),
      },
    },
  };
}

const getWebUrl = ({ metadata: { web_url: url } }: FoundChunk['chunk']) =>
  typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url) ? { web_url: url } : {};

const getMemberPath = ({ member }: FoundChunk['chunk']) =>
  member === undefined ? {} : { member_path: member };

const getPageRange = ({ startPage, endPage }: FoundChunk['chunk']) => ({
  start_page_index: startPage ?? null,
  end_page_index: endPage ?? null,
});

/** Returns the retrieved chunks that a text cites, in the order of first mention, without duplicates. */
export function listCitations(text: string, found: readonly FoundChunk[]) {
  return listCitedNumbers(text).flatMap((citation) => {
    const cited = found[citation - 1];
    return cited ? [{ citation, cited }] : [];
  });
}

/**
 * Builds a citation from its chunk, its 0-based pages and the boxes of the printed lines. `quoted` has the boxes of
 * the sentences that the answer quotes, and their ranges in the text of the chunk. Fields without items are left out.
 */
export function toCitation(
  citation: number,
  { chunk }: FoundChunk,
  boxes: PrintedBox[],
  { boxes: sentenceBoxes = [], ranges = [] }: { boxes?: PrintedBox[]; ranges?: TextRange[] } = {},
) {
  return {
    citation,
    sourceId: chunk.id,
    ...getPageRange(chunk),
    ...getMemberPath(chunk),
    bounding_boxes: boxes,
    ...(sentenceBoxes.length > 0 && { sentence_bounding_boxes: sentenceBoxes }),
    ...(ranges.length > 0 && { sentence_ranges: ranges }),
  };
}

/**
 * Describes a citation that was removed from an answer. `sourceId` is null if no passage has the cited
 * number.
 */
export function toDroppedCitation(
  { citation, statement, reason }: DroppedCitation,
  found: readonly FoundChunk[],
) {
  return { citation, sourceId: found[citation - 1]?.chunk.id ?? null, statement, reason };
}
