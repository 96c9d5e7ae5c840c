import type { UIMessage } from 'ai';

/** A passage that was found, as the service tells of it. */
export interface Passage {
  /** The number by which the text cites it. */
  citation: number;
  score: number | null;
  text: string;
  text_cut?: boolean;
  node_id: string;
  /** Whose documents. */
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
  /** Seconds. */
  latency?: { search?: number; first_text?: number; total?: number };
  /** Said at the end of an answer; true: it is whole. */
  complete?: boolean;
  status?: 'complete' | 'cut' | 'aborted' | 'failed';
}

type Data = {
  citations: { citations: { citation: number; sourceId: string }[] };
  'citation-dropped': { citation: number; sourceId: string | null; statement: string; reason: string };
};

export type ChatMessage = UIMessage<Metadata, Data>;

/** How an answer stands: `broken` is one whose connection was lost, and that is being asked for again. */
export type AnswerState = 'streaming' | 'complete' | 'cut' | 'aborted' | 'failed' | 'broken';

export function stateOf({ metadata }: ChatMessage, isStreaming: boolean): AnswerState {
  if (metadata?.complete) return 'complete';
  if (metadata?.status && metadata.status !== 'complete') return metadata.status;
  if (metadata?.complete === false) return 'cut';
  return isStreaming ? 'streaming' : 'broken';
}

export const textOf = ({ parts }: ChatMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The protocol knows metadata of providers as JSON of any kind; the service's own are passages, by its description. */
const passageOf = (metadata: { sluice?: unknown } | undefined) => metadata?.sluice as Passage | undefined;

/** What was found for an answer, in the order of the numbers. */
export function sourcesOf({ parts }: ChatMessage): Source[] {
  return parts.flatMap((part) => {
    if (part.type !== 'source-document') return [];
    const passage = passageOf(part.providerMetadata);
    return passage ? [{ ...passage, title: part.title }] : [];
  });
}

/** The ids of the passages that the text cites. */
export function citedOf({ parts }: ChatMessage): Set<string> {
  const told = parts.findLast((part) => part.type === 'data-citations');
  return new Set(told?.data.citations.map(({ sourceId }) => sourceId));
}

export const droppedOf = ({ parts }: ChatMessage) =>
  parts.flatMap((part) => (part.type === 'data-citation-dropped' ? [part.data] : []));

/** "page 3", "pages 3–4"; undefined: it has none. */
export function pagesOf({ start_page_index: first, end_page_index: last }: Passage): string | undefined {
  if (first === null) return undefined;
  return last !== null && last !== first ? `pages ${first + 1}–${last + 1}` : `page ${first + 1}`;
}
