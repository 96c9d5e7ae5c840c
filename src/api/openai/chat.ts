import { z } from 'zod';
import { tellInHeader } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { answerOnce } from '#src/chat/sessions/chat.ts';
import { warningsOf } from '#src/lib/schema/effect.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { chatCompletion, chatCompletionRequest } from './chat.schemas.ts';
import { chatRequestOf, generationOf, OPTIONS, ownWarnings, unsupportedWarnings } from './chat-request.ts';
import { type Frame, streamedCompletion, wholeCompletion } from './completion.ts';
import { askableOf } from './names.ts';

/** Maximum bytes of a request, which contains the whole conversation. */
const LIMIT_BYTES = 4 * 1024 * 1024;

const EVENTS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

export const chatOperations = [
  operation({
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    tag: 'Chat',
    access: 'project',
    summary: 'Create a chat completion',
    description:
      'Answers the last question of the conversation from the documents of the pipeline or retriever. With `stream`, ' +
      'the answer comes as server-sent events and ends with its connection. The text has marks like `[1]` for what ' +
      'it cites, and `annotations` link each mark to its source. The service does not store the conversation.',
    body: { json: chatCompletionRequest, limit: LIMIT_BYTES },
    response: {
      status: 200,
      content: { 'application/json': chatCompletion, 'text/event-stream': z.string() },
      description: 'The answer; or its chunks, one JSON object an event, and `[DONE]`',
    },
    errors: [502],
    async handle({ ctx, body, rawBody, request, requestId }) {
      const chat = chatRequestOf(body);
      const generation = generationOf(body);
      const { kind, id } = await askableOf(ctx, body.model);
      const corpus = kind === 'pipeline' ? { pipeline_id: id } : { retriever_id: id };
      const options = { requestId, generation, optionsAt: OPTIONS };
      const { stream, hasModel } = await answerOnce(ctx, corpus, chat, options);
      const own = ownWarnings(body, chat, generation, hasModel);
      const fromSchema = warningsOf(chatCompletionRequest, rawBody);
      const frame: Frame = {
        id: `chatcmpl-${requestId}`,
        model: body.model,
        created: Math.floor(Date.now() / 1000),
        origin: publicOrigin(ctx.settings, request.url),
        asked: (chat.messages ?? []).map(({ content }) => content ?? ''),
        warnings: [...fromSchema, ...own],
        warningsOf: (unsupported) => unsupportedWarnings(unsupported, body),
        includeUsage: body.stream_options?.include_usage === true,
      };
      if (body.stream) {
        return tellInHeader(new Response(streamedCompletion(stream, frame), { headers: EVENTS }), own);
      }
      const whole = await wholeCompletion(stream, frame);
      // Warnings of the schema are already in the header, set when the body was read.
      return tellInHeader(Response.json(whole), whole.warnings?.slice(fromSchema.length) ?? []);
    },
  }),
];
