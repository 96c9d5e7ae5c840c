import { z } from 'zod';
import { addWarningsHeader } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { beginAnswer } from './begin-answer.ts';
import { chatCompletion, chatCompletionRequest } from './chat.schemas.ts';
import { unsupportedWarnings } from './chat-request.ts';
import { buildCompletion, type Frame, streamCompletion } from './completion.ts';
import { EVENTS, LIMIT_BYTES } from './event-stream.ts';

export const chatOperations = [
  operation({
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    needs: 'retrieve',
    tag: 'Chat',
    access: 'project',
    summary: 'Create a chat completion',
    description:
      'Answers the last question of the conversation from the documents of the pipeline or retriever. With `stream`, ' +
      'the answer is sent as server-sent events and ends with its connection. The text contains marks such as `[1]` for what ' +
      'it cites, and `annotations` link each mark to its source. The service does not store the conversation.',
    body: { json: chatCompletionRequest, limit: LIMIT_BYTES },
    response: {
      status: 200,
      content: { 'application/json': chatCompletion, 'text/event-stream': z.string() },
      description: 'The answer, or its chunks with one JSON object per event, followed by `[DONE]`',
    },
    errors: [502],
    async handle({ ctx, body, rawBody, request, requestId }) {
      const { stream, asked, warnings: own, isJson } = await beginAnswer(ctx, body, requestId);
      const fromSchema = collectWarnings(chatCompletionRequest, rawBody);
      const frame: Frame = {
        id: `chatcmpl-${requestId}`,
        model: body.model,
        created: Math.floor(Date.now() / 1000),
        origin: publicOrigin(ctx.settings, request.url),
        ...{ asked, isJson },
        warnings: [...fromSchema, ...own],
        listWarnings: (unsupported) => unsupportedWarnings(unsupported, body),
        includeUsage: body.stream_options?.include_usage === true,
      };
      if (body.stream) {
        return addWarningsHeader(new Response(streamCompletion(stream, frame), { headers: EVENTS }), own);
      }
      const whole = await buildCompletion(stream, frame);
      // The header already contains the warnings about the request body, so only the other warnings are
      // added.
      return addWarningsHeader(Response.json(whole), whole.warnings?.slice(fromSchema.length) ?? []);
    },
  }),
];
