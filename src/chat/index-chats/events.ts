import type { UIMessageChunk } from 'ai';
import { limitBoxes } from '../sessions/annotations.ts';
import { MAX_ANSWER_CHARACTERS } from '../sessions/messages.ts';
import type { Citation, Source } from '../sources.ts';

/** Token usage and duration of an answer. */
export interface RunUsage {
  duration_ms: number;
  total_input_tokens: number | null;
  total_output_tokens: number | null;
  turns: number;
}

/** Event of a conversation in the form of LlamaCloud's session chat. */
export type ChatEvent =
  | { type: 'user_input'; content: string }
  | { type: 'tool_call'; call_id: string; name: string; arguments: Record<string, unknown> }
  | { type: 'tool_result'; call_id: string; name: string; result: { results: Passage[] } }
  | { type: 'text_delta'; content: string }
  | { type: 'text'; content: string; citations: Citation[] }
  | { type: 'stop'; is_error: boolean; error: string | null; usage: RunUsage };

type Passage = ReturnType<typeof toPassage>;

/** Name of the only tool: the search in the indexes. */
const RETRIEVE = 'retrieve';

interface AskedQuestion {
  prompt: string;
  indexIds: readonly string[];
  /** Time at which the question was sent, in milliseconds since 1970. */
  begunAt: number;
}

/**
 * Converts the chunks of an answer to events: the question, the search with its results, the text in parts and whole,
 * and the end. Marks such as [1] in the text refer to the `citation` of a result. Yields `undefined` for a heartbeat.
 */
export async function* toChatEvents(
  chunks: AsyncIterable<UIMessageChunk | undefined>,
  { prompt, indexIds, begunAt }: AskedQuestion,
): AsyncGenerator<ChatEvent | undefined, void> {
  const call = { call_id: crypto.randomUUID(), name: RETRIEVE };
  yield { type: 'user_input', content: prompt };
  yield { type: 'tool_call', ...call, arguments: { query: prompt, index_ids: indexIds } };
  const results: Passage[] = [];
  let isSearched = false;
  let text = '';
  let ended: { citations: Citation[]; usage?: { input?: number; output?: number } } = { citations: [] };
  let error: string | null = null;
  for await (const chunk of chunks) {
    if (!chunk) yield undefined;
    else if (chunk.type === 'source-document') results.push(toPassage(chunk as unknown as Source));
    else if (chunk.type === 'text-start') {
      isSearched = true;
      yield { type: 'tool_result', ...call, result: { results } };
    } else if (chunk.type === 'text-delta') {
      text += chunk.delta;
      yield { type: 'text_delta', content: chunk.delta };
    } else if (chunk.type === 'data-citations') ended = chunk.data as typeof ended;
    else if (chunk.type === 'error') error = chunk.errorText;
    else if (chunk.type === 'abort') error = chunk.reason ?? 'The answer was stopped.';
  }
  if (!isSearched) yield { type: 'tool_result', ...call, result: { results } };
  if (text) yield { type: 'text', content: text, citations: limitBoxes(ended.citations) };
  const usage = {
    duration_ms: Date.now() - begunAt,
    total_input_tokens: ended.usage?.input ?? null,
    total_output_tokens: ended.usage?.output ?? null,
    turns: 1,
  };
  yield { type: 'stop', is_error: error !== null, error, usage };
}

function toPassage({ title, providerMetadata: { sluice } }: Source) {
  const toPageNumber = (index: number | null) => (index === null ? null : index + 1);
  return {
    citation: sluice.citation,
    content: sluice.text,
    score: sluice.score,
    index_id: sluice.pipeline_id,
    chunk_id: sluice.node_id,
    file_id: sluice.document_id,
    file_name: title,
    page_range_start: toPageNumber(sluice.start_page_index),
    page_range_end: toPageNumber(sluice.end_page_index),
  };
}

/** Maximum number of characters of all passages that are stored with an answer. A D1 row holds 2 MB. */
const MAX_PASSAGE_CHARACTERS = 64_000;

/** Returns the events that are stored with a conversation. Parts of the text are left out, and long texts are cut. */
export function toStoredEvents(events: readonly ChatEvent[]): ChatEvent[] {
  return events.flatMap((event): ChatEvent[] => {
    if (event.type === 'text_delta') return [];
    if (event.type === 'text') return [{ ...event, content: event.content.slice(0, MAX_ANSWER_CHARACTERS) }];
    if (event.type !== 'tool_result') return [event];
    let left = MAX_PASSAGE_CHARACTERS;
    const results = event.result.results.map((passage) => {
      const content = passage.content.slice(0, left);
      left -= content.length;
      return { ...passage, content };
    });
    return [{ ...event, result: { results } }];
  });
}
