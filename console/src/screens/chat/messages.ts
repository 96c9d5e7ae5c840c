import type { UIMessage } from 'ai';
import { t } from '../../i18n/messages.ts';
import type { Box } from '../../ui/page-picture.tsx';
import type { TextRange } from './mark-ranges.ts';

/** Passage that was retrieved for an answer, in the format of the chat API. */
export interface Passage {
  /** Number by which the answer cites the passage, such as 1 for [1]. */
  citation: number;
  score: number | null;
  text: string;
  text_cut?: boolean;
  node_id: string;
  /** Id of the index that contains the passage. */
  pipeline_id: string;
  retriever_pipeline_name?: string;
  document_id: string | null;
  file_id: string | null;
  start_page_index: number | null;
  end_page_index: number | null;
}

export interface Source extends Passage {
  title: string;
}

interface Metadata {
  model?: string;
  retrieval?: Record<string, string>;
  warnings?: string[];
  /** Durations of the steps of an answer, in seconds. */
  latency?: { search?: number; first_text?: number; total?: number };
  /** True if the answer was generated to its end. The service sends this field last. */
  complete?: boolean;
  status?: 'complete' | 'cut' | 'aborted' | 'failed';
  /** Id of the stored answer. Absent if the answer is not stored. */
  message_id?: string;
  /** Feedback of the user. */
  rating?: 'up' | 'down';
}

interface Citation {
  citation: number;
  sourceId: string;
  /** Boxes of the sentences that the answer quotes from the passage. Absent if it quotes none. */
  sentence_bounding_boxes?: SentenceBox[];
  /** Ranges of these sentences in the text of the passage. */
  sentence_ranges?: TextRange[];
}

/** Box of a printed line in points. `page_index` is zero-based. */
export interface SentenceBox extends Box {
  page_index: number;
}

type Data = {
  citations: { citations: Citation[] };
  'citation-dropped': { citation: number; sourceId: string | null; statement: string; reason: string };
};

export type ChatMessage = UIMessage<Metadata, Data>;

/** State of an answer. `broken` means that the connection was lost and the client is reconnecting. */
export type AnswerState = 'streaming' | 'complete' | 'cut' | 'aborted' | 'failed' | 'broken';

export function getAnswerState({ metadata }: ChatMessage, isStreaming: boolean): AnswerState {
  if (metadata?.complete) return 'complete';
  if (metadata?.status && metadata.status !== 'complete') return metadata.status;
  if (metadata?.complete === false) return 'cut';
  return isStreaming ? 'streaming' : 'broken';
}

export const getText = ({ parts }: ChatMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/**
 * Casts provider metadata to a passage. The chat protocol allows any JSON here, but this service only sends
 * passages.
 */
const getPassage = (metadata: { sluice?: unknown } | undefined) => metadata?.sluice as Passage | undefined;

/** Returns the passages retrieved for an answer, ordered by citation number. */
export function listSources({ parts }: ChatMessage): Source[] {
  return parts.flatMap((part) => {
    if (part.type !== 'source-document') return [];
    const passage = getPassage(part.providerMetadata);
    return passage ? [{ ...passage, title: part.title }] : [];
  });
}

/** Sentences that an answer quotes from a passage, as boxes on pages and as ranges in the text of the passage. */
export interface QuotedSentences {
  boxes: readonly SentenceBox[];
  ranges: readonly TextRange[];
}

/** Returns the sentences that the newest answer with a passage quotes from that passage. */
export function findQuotedSentences(
  messages: readonly ChatMessage[],
  nodeId: string | null,
): QuotedSentences {
  const citations = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'data-citations' ? part.data.citations : [])),
  );
  const found = citations.findLast(({ sourceId }) => sourceId === nodeId);
  return { boxes: found?.sentence_bounding_boxes ?? [], ranges: found?.sentence_ranges ?? [] };
}

/** Returns the ids of the passages that an answer cites. */
export function collectCitedIds({ parts }: ChatMessage): Set<string> {
  const citations = parts.findLast((part) => part.type === 'data-citations');
  return new Set(citations?.data.citations.map(({ sourceId }) => sourceId));
}

export const listDroppedCitations = ({ parts }: ChatMessage) =>
  parts.flatMap((part) => (part.type === 'data-citation-dropped' ? [part.data] : []));

/**
 * Formats the page numbers of a passage as "page 3" or "pages 3–4". Returns `undefined` if the passage has no
 * page numbers.
 */
export function formatPageRange({
  start_page_index: first,
  end_page_index: last,
}: Passage): string | undefined {
  if (first === null) return undefined;
  return last !== null && last !== first
    ? t('pages {first}–{last}', { first: first + 1, last: last + 1 })
    : t('page {page}', { page: first + 1 });
}
