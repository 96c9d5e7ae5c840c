import { answerWithoutSession } from '#src/chat/sessions/chat.ts';
import type { SearchedParams } from '#src/chat/sessions/corpus.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatCompletionRequest } from './chat.schemas.ts';
import {
  collectOwnWarnings,
  OPTIONS,
  requireModelFor,
  toChatRequest,
  toGenerationSettings,
  toModelRequest,
} from './chat-request.ts';
import { findSearchable } from './names.ts';
import { readPictures } from './pictures.ts';

export interface BegunAnswer {
  stream: ReadableStream<Uint8Array>;
  /** Texts of the conversation, from which its tokens are counted. */
  asked: string[];
  /** Warnings about what has no effect on this answer, although the schema knows it. */
  warnings: Warning[];
  /** True if the answer is JSON, in which lists of numbers are no citation marks. */
  isJson: boolean;
  /** Pipelines or retriever that were searched. */
  corpus: SearchedParams;
}

export interface AnswerOptions {
  /** What is searched instead of the pipeline or retriever that `model` names. */
  searched?: SearchedParams | undefined;
  /** Returns the path of a message's part in the request, for errors. */
  toPath?: (message: number, part: number) => (string | number)[];
}

/**
 * Checks a request and starts its answer. Throws a `DomainError` if the request cannot be answered.
 */
export async function beginAnswer(
  ctx: TenantContext,
  body: ChatCompletionRequest,
  requestId: string,
  { searched, toPath = (message, part) => ['messages', message, 'content', part] }: AnswerOptions = {},
): Promise<BegunAnswer> {
  const chat = toChatRequest(body);
  const generation = toGenerationSettings(body);
  const corpus = searched ?? (await findCorpus(ctx, body.model));
  const pictures = await readPictures(ctx, body.messages, toPath);
  const modelRequest = toModelRequest(body, chat, pictures);
  const options = {
    ...{ requestId, generation, modelRequest, optionsAt: OPTIONS },
    checkModel: (hasModel: boolean) => requireModelFor(modelRequest, hasModel),
  };
  const { stream, hasModel } = await answerWithoutSession(ctx, corpus, chat, options);
  return {
    stream,
    asked: (chat.messages ?? []).map(({ content }) => content ?? ''),
    warnings: collectOwnWarnings(body, chat, generation, hasModel),
    isJson: modelRequest.format !== undefined,
    corpus,
  };
}

async function findCorpus(ctx: TenantContext, model: string): Promise<SearchedParams> {
  const { kind, id } = await findSearchable(ctx, model);
  return kind === 'pipeline' ? { pipeline_id: id } : { retriever_id: id };
}
