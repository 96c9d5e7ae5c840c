import { z } from 'zod';
import { addWarningsHeader } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { beginAnswer } from '../begin-answer.ts';
import { unsupportedWarnings } from '../chat-request.ts';
import { EVENTS, LIMIT_BYTES, streamText } from '../event-stream.ts';
import { renameWarnings, toCompletionRequest } from './request.ts';
import { buildResponse, type ResponseFrame, streamResponseEvents } from './response.ts';
import { responseObject, responseRequest } from './schemas.ts';

export const responseOperations = [
  operation({
    method: 'post',
    path: '/v1/responses',
    id: 'createResponse',
    effect: 'read',
    tag: 'Chat',
    access: 'project',
    summary: 'Create a response',
    description:
      'Answers the last question of the input from the documents of the pipeline or retriever. With `stream`, the response is ' +
      'sent as server-sent events. Citation marks in the text have annotations of the types `file_citation` and `url_citation`. ' +
      'The service does not store responses.',
    body: { json: responseRequest, limit: LIMIT_BYTES },
    response: {
      status: 200,
      content: { 'application/json': responseObject, 'text/event-stream': z.string() },
      description: 'The response, or its events with one JSON object each',
    },
    errors: [502],
    async handle({ ctx, body, rawBody, requestId }) {
      const completion = toCompletionRequest(body);
      const { stream, asked, warnings, isJson } = await beginAnswer(ctx, completion, requestId);
      const own = renameWarnings(warnings);
      const fromSchema = collectWarnings(responseRequest, rawBody);
      const question = completion.messages.findLast(({ role }) => role === 'user')?.content;
      const showsSearch = body.tools?.some(({ type }) => type === 'file_search');
      const frame: ResponseFrame = {
        id: requestId,
        request: body,
        created: Math.floor(Date.now() / 1000),
        ...{ asked, isJson },
        shownSearch: showsSearch ? String(question) : undefined,
        showsResults: body.include?.includes('file_search_call.results') === true,
        warnings: [...fromSchema, ...own],
        listWarnings: (unsupported) => renameWarnings(unsupportedWarnings(unsupported, completion)),
      };
      if (body.stream) {
        const events = streamText(streamResponseEvents(stream, frame), stream);
        return addWarningsHeader(new Response(events, { headers: EVENTS }), own);
      }
      const whole = await buildResponse(stream, frame);
      // The header already contains the warnings about the request body, so only the other warnings are
      // added.
      return addWarningsHeader(Response.json(whole), whole.warnings?.slice(fromSchema.length) ?? []);
    },
  }),
];
