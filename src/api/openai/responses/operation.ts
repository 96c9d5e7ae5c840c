import { z } from 'zod';
import { addWarningsHeader } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { SearchedParams } from '#src/chat/sessions/corpus.ts';
import { getStoredResponse, storeResponse } from '#src/chat/sessions/stored-responses.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { StoredResponse } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { getStorePipeline } from '#src/services/pipelines/vector-stores/stores.ts';
import { beginAnswer } from '../begin-answer.ts';
import { readText, unsupportedWarnings } from '../chat-request.ts';
import { EVENTS, LIMIT_BYTES, streamText } from '../event-stream.ts';
import { listEarlierItems, listOwnItems, toStoredItems } from './items.ts';
import { renameWarnings, toCompletionRequest } from './request.ts';
import { buildResponse, type ResponseFrame, streamResponseEvents } from './response.ts';
import { type ResponseRequest, responseObject, responseRequest } from './schemas.ts';
import { storedResponseOperations } from './stored.ts';

/** Returns the pipelines that a `file_search` tool names as its vector stores. Returns `undefined` if it names none. */
async function findSearched(
  ctx: TenantContext,
  { tools }: ResponseRequest,
): Promise<SearchedParams | undefined> {
  const search = tools?.find((tool) => tool.type === 'file_search');
  const ids = [...new Set(search?.vector_store_ids)];
  const pipelines = await Promise.all(ids.map((id) => getStorePipeline(ctx, id)));
  const [first, ...more] = pipelines.map(({ id }) => id);
  if (first === undefined) return undefined;
  return more.length === 0 ? { pipeline_id: first } : { pipeline_ids: [first, ...more] };
}

/** Returns the function that stores a response. Returns `undefined` if the client did not ask for it. */
function createStore(
  ctx: TenantContext,
  request: ResponseRequest,
  { id, corpus, previous }: { id: string; corpus: SearchedParams; previous: StoredResponse | undefined },
): ResponseFrame['store'] {
  if (!request.store) return undefined;
  const earlier = previous ? listEarlierItems(previous) : [];
  const input = toStoredItems([...earlier, ...listOwnItems(request)], id);
  return (response, sources) =>
    storeResponse(ctx, {
      ...{ id, corpus, previous, input, response },
      found: sources.map(({ providerMetadata: { sluice } }) => ({
        chunk_id: sluice.node_id,
        document_id: sluice.document_id,
        pipeline_id: sluice.pipeline_id,
      })),
    });
}

export const responseOperations = [
  operation({
    method: 'post',
    path: '/v1/responses',
    id: 'createResponse',
    needs: 'retrieve',
    tag: 'Chat',
    access: 'project',
    summary: 'Create a response',
    description:
      'Answers the last question of the input from the documents of the pipeline or retriever. With `stream`, the response is ' +
      'sent as server-sent events. Citation marks in the text have annotations of the types `file_citation` and `url_citation`. ' +
      'With `store`, the response can be read and continued later.',
    body: { json: responseRequest, limit: LIMIT_BYTES },
    response: {
      status: 200,
      content: { 'application/json': responseObject, 'text/event-stream': z.string() },
      description: 'The response, or its events with one JSON object each',
    },
    errors: [502],
    async handle({ ctx, body, rawBody, requestId }) {
      const continued = body.previous_response_id;
      const previous = continued ? await getStoredResponse(ctx, continued.toLowerCase()) : undefined;
      const completion = toCompletionRequest(body, previous && listEarlierItems(previous));
      const searched = await findSearched(ctx, body);
      const begun = await beginAnswer(ctx, completion, requestId, { searched, toPath: () => ['input'] });
      const { stream, asked, warnings, isJson, corpus } = begun;
      const own = renameWarnings(warnings);
      const fromSchema = collectWarnings(responseRequest, rawBody);
      const question = completion.messages.findLast(({ role }) => role === 'user');
      const showsSearch = body.tools?.some(({ type }) => type === 'file_search');
      // Clients may choose the id of a request, so a stored response has an id of its own.
      const id = body.store ? newId() : requestId;
      const frame: ResponseFrame = {
        id,
        request: body,
        previousId: continued ?? null,
        created: Math.floor(Date.now() / 1000),
        ...{ asked, isJson },
        shownSearch: showsSearch ? readText(question!) : undefined,
        showsResults: body.include?.includes('file_search_call.results') === true,
        warnings: [...fromSchema, ...own],
        listWarnings: (unsupported) => renameWarnings(unsupportedWarnings(unsupported, completion)),
        store: createStore(ctx, body, { id, corpus, previous }),
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
  ...storedResponseOperations,
];
