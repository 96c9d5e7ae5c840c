import type { UIMessageChunk } from 'ai';
import type { ToolCall } from '#src/chat/model-request.ts';
import type { Source } from '#src/chat/sources.ts';
import { getTitle, listCited } from '../annotations.ts';
import { CollectedAnswer } from '../collected-answer.ts';
import type { OutputItem, ResponseAnnotation } from './schemas.ts';

type Event = { type: string } & Record<string, unknown>;
type MessageItem = Extract<OutputItem, { type: 'message' }>;

export interface OutputOptions {
  /** Part of the ids of all items. */
  id: string;
  isJson: boolean;
  /** Question of the search. Undefined if the client did not ask for the search to be shown. */
  shownSearch: string | undefined;
  showsResults: boolean;
}

/** Builds the output items of a response from the chunks of an answer, with the events that announce them. */
export class ResponseOutput {
  readonly answer = new CollectedAnswer();
  readonly items: OutputItem[] = [];
  readonly #options: OutputOptions;
  #message: { item: MessageItem; index: number } | undefined;
  #hasShownSearch = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Takes a chunk of the answer and returns the events that it causes. */
  *add(chunk: UIMessageChunk): Generator<Event> {
    this.answer.addChunk(chunk);
    if (chunk.type === 'text-start') yield* this.#showSearch();
    if (chunk.type === 'text-delta') {
      yield* this.#openMessage();
      const { place } = this.#locate();
      yield { type: 'response.output_text.delta', ...place, delta: chunk.delta, logprobs: [] };
    }
    if (chunk.type === 'data-tool-call') yield* this.#addCall(chunk.data as ToolCall);
  }

  /** Returns the events at the end of an answer that did not fail. */
  *end(): Generator<Event> {
    const { text, sources, toolCalls, finishReason } = this.answer;
    if (toolCalls.length === 0) yield* this.#openMessage();
    if (!this.#message) return;
    const { item, place } = this.#locate();
    const annotations = this.#options.isJson ? [] : buildResponseAnnotations(text, sources);
    for (const [annotation_index, annotation] of annotations.entries()) {
      yield { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation };
    }
    const part = { type: 'output_text' as const, text, annotations, logprobs: [] };
    item.content = [part];
    item.status = finishReason === 'stop' || finishReason === 'tool_calls' ? 'completed' : 'incomplete';
    yield { type: 'response.output_text.done', ...place, text, logprobs: [] };
    yield { type: 'response.content_part.done', ...place, part };
    yield { type: 'response.output_item.done', output_index: place.output_index, item: { ...item } };
  }

  *#showSearch(): Generator<Event> {
    const { id, shownSearch, showsResults } = this.#options;
    if (shownSearch === undefined || this.#hasShownSearch) return;
    this.#hasShownSearch = true;
    const item: OutputItem = {
      id: `fs_${id}`,
      type: 'file_search_call',
      status: 'completed',
      queries: [shownSearch],
      results: showsResults ? this.answer.sources.map(toResult) : null,
    };
    const output_index = this.items.push(item) - 1;
    const begun = { ...item, status: 'in_progress', results: null };
    yield { type: 'response.output_item.added', output_index, item: begun };
    for (const state of ['in_progress', 'searching', 'completed']) {
      yield { type: `response.file_search_call.${state}`, output_index, item_id: item.id };
    }
    yield { type: 'response.output_item.done', output_index, item };
  }

  *#openMessage(): Generator<Event> {
    if (this.#message) return;
    const item: MessageItem = {
      id: `msg_${this.#options.id}`,
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const index = this.items.push(item) - 1;
    this.#message = { item, index };
    yield { type: 'response.output_item.added', output_index: index, item: { ...item } };
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    yield { type: 'response.content_part.added', ...this.#locate().place, part };
  }

  #locate() {
    const { item, index } = this.#message!;
    return { item, place: { item_id: item.id, output_index: index, content_index: 0 } };
  }

  *#addCall({ id, name, arguments: given }: ToolCall): Generator<Event> {
    const item: OutputItem = {
      id: `fc_${this.#options.id}_${this.items.length}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: given,
      status: 'completed',
    };
    const output_index = this.items.push(item) - 1;
    const place = { item_id: item.id, output_index };
    yield {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, arguments: '', status: 'in_progress' },
    };
    yield { type: 'response.function_call_arguments.delta', ...place, delta: given };
    yield { type: 'response.function_call_arguments.done', ...place, name, arguments: given };
    yield { type: 'response.output_item.done', output_index, item };
  }
}

const getFileId = ({ providerMetadata: { sluice } }: Source): string => sluice.file_id ?? sluice.document_id;

/** A source with an address in its content system is cited by the address, and all others by their file. */
function buildResponseAnnotations(text: string, sources: readonly Source[]): ResponseAnnotation[] {
  return listCited(text, sources).map(({ start, end, source }) => {
    const url = source.providerMetadata.sluice.web_url;
    if (url === undefined) {
      return { type: 'file_citation', file_id: getFileId(source), filename: source.title, index: start };
    }
    return { type: 'url_citation', url, title: getTitle(source), start_index: start, end_index: end };
  });
}

function toResult(source: Source) {
  const { text, score } = source.providerMetadata.sluice;
  return { file_id: getFileId(source), filename: source.title, text, score };
}
