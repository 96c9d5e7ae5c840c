import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery } from '#src/api/operation/schemas.ts';
import { DEFAULT_PAGE_SIZE, parsePageToken } from '#src/db/paging.ts';
import { findTarget } from '#src/retrieval/find-target.ts';
import type { Retrieval } from '#src/retrieval/index.ts';
import { readIndexedText, searchText } from '#src/retrieval/indexed-text.ts';
import { findExcludedKeys, getExcludedKeys, getTarget, requireLiveSource } from '#src/retrieval/retrieval.ts';
import { retrieveTraced } from '#src/retrieval/traced-retrieval.ts';
import { pageMetadata } from '#src/search/pages.ts';
import { getPipelineFilePage } from '#src/services/pipelines/pipeline-file-lists.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { indexId, withIndexName } from './names.ts';
import { getResultLimit, type IndexQuery, indexQuery, toRetrievalParameters } from './retrieve-parameters.ts';

const MAX_CONTEXT_CHARACTERS = 10_000;
const MAX_PATTERN_CHARACTERS = 10_000;

const count = z.number().int().nullish();

const resultBody = z.object({
  content: z.string(),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
    .nullish(),
  score: z.number().nullish().describe('Score of the search.'),
  rerank_score: z.number().nullish().describe('Score of the reranker, if it ordered the results.'),
  static_fields: z.object({
    parsed_directory_file_id: z.string().nullish().describe('Id of the file, which `read` and `grep` take.'),
    chunk_index: count,
    chunk_start_char: count,
    chunk_end_char: count,
    chunk_token_count: count,
    page_range_start: count.describe('First page, counted from 1.'),
    page_range_end: count,
    attachments: z
      .array(z.object({ attachment_name: z.string(), source_id: z.string(), type: z.string() }))
      .describe(
        'Always empty. `GET /api/v1/files/{id}/page_screenshots/{page_index}` returns images of pages.',
      ),
  }),
});

const fileOfIndex = z.object({
  index_id: indexId,
  file_id: z.string().min(1).max(3000).describe('Id of a file or text document of the index.'),
});

const tag = 'Retrieval';
const path = '/api/v1/retrieval';

export const clientRetrievalOperations = [
  operation({
    method: 'post',
    path: `${path}/retrieve`,
    id: 'clientRetrieveFromIndex',
    needs: 'retrieve',
    tag,
    summary: 'Retrieve chunks of an index',
    description: 'Returns the chunks of the index that answer the query, best first.',
    access: 'project',
    body: { json: indexQuery },
    response: {
      status: 200,
      json: z.object({ results: z.array(resultBody) }).meta({ id: 'ClientIndexResults' }),
    },
    errors: [502],
    async handle({ ctx, body, requestId }) {
      const found = await findTarget(ctx, body.index_id);
      const target = await withIndexName(body.index_id, getTarget(ctx, body.index_id, found));
      const parameters = toRetrievalParameters(body);
      const { retrieval } = await retrieveTraced(ctx, target, body.query, parameters, requestId);
      countActivity(ctx, target.pipeline.projectId, 'retrievals');
      const own = await findExcludedKeys(
        ctx,
        target,
        retrieval.chunks.map(({ chunk }) => chunk),
      );
      const hidden = (documentId: string) => getExcludedKeys(target, own.get(documentId)).llm;
      return { results: await presentResults(retrieval, body, hidden) };
    },
  }),
  operation({
    method: 'post',
    path: `${path}/files/find`,
    id: 'clientFindIndexFiles',
    needs: 'read',
    tag,
    summary: 'Find files of an index by name',
    description: 'Returns one page of the files of the index, in the order in which they were added.',
    access: 'project',
    body: {
      json: pageQuery.extend({
        index_id: indexId,
        file_name: z.string().max(3000).nullish().describe('Exact match.'),
        file_name_contains: z.string().max(200).nullish().describe('Part of the name, in any case.'),
      }),
    },
    response: {
      status: 200,
      json: buildPageSchema(z.object({ file_id: z.string(), file_name: z.string() })).meta({
        id: 'ClientIndexFilePage',
      }),
    },
    async handle({ ctx, body: { index_id: id, ...query } }) {
      const { id: pipelineId } = requireLiveSource(await withIndexName(id, getTarget(ctx, id)));
      const page = await getPipelineFilePage(ctx, pipelineId, query);
      return { ...page, items: page.items.map(({ file }) => ({ file_id: file.id, file_name: file.name })) };
    },
  }),
  operation({
    method: 'post',
    path: `${path}/files/grep`,
    id: 'clientGrepIndexFile',
    needs: 'read',
    tag,
    summary: 'Search the text of a file with a pattern',
    description:
      'Returns one page of the places at which the parsed text of the file matches a regular expression in the syntax ' +
      'of RE2. Pages of the file are searched one by one.',
    access: 'project',
    body: {
      json: pageQuery.extend({
        ...fileOfIndex.shape,
        pattern: z.string().min(1).max(MAX_PATTERN_CHARACTERS),
        context_chars: z
          .number()
          .int()
          .min(0)
          .max(MAX_CONTEXT_CHARACTERS)
          .nullish()
          .describe('Number of characters before and after a match in `content`.'),
      }),
    },
    response: {
      status: 200,
      json: buildPageSchema(
        z.object({ content: z.string(), start_char: z.number().int(), end_char: z.number().int() }),
      ).meta({ id: 'ClientIndexMatchPage' }),
    },
    errors: [409],
    async handle({ ctx, body }) {
      const [from = 0] = parsePageToken(body.page_token, ['number'], ['body', 'page_token']) ?? [];
      const text = await withIndexName(body.index_id, readIndexedText(ctx, body.index_id, body.file_id));
      const page = searchText(text, {
        pattern: body.pattern,
        around: body.context_chars ?? 0,
        from: Math.max(0, Math.floor(from)),
        pageSize: body.page_size ?? DEFAULT_PAGE_SIZE,
      });
      const items = page.items.map(({ content, start, end }) => ({
        content,
        start_char: start,
        end_char: end,
      }));
      return { ...page, items };
    },
  }),
  operation({
    method: 'post',
    path: `${path}/files/read`,
    id: 'clientReadIndexFile',
    needs: 'read',
    tag,
    summary: 'Read the text of a file of an index',
    description:
      'Returns the parsed text of the file, or a part of it. Positions of chunks count its characters.',
    access: 'project',
    body: {
      json: fileOfIndex.extend({
        offset: z.number().int().min(0).nullish().describe('Position of the first character. Default: 0.'),
        max_length: z.number().int().min(0).nullish().describe('Maximum number of characters. Default: all.'),
      }),
    },
    response: { status: 200, json: z.object({ content: z.string() }).meta({ id: 'ClientIndexText' }) },
    errors: [409],
    async handle({ ctx, body: { index_id: id, file_id: fileId, offset, max_length: most } }) {
      const { text } = await withIndexName(id, readIndexedText(ctx, id, fileId));
      const start = offset ?? 0;
      return { content: text.slice(start, most == null ? undefined : start + most) };
    },
  }),
];

async function presentResults(
  { chunks, candidates = [] }: Retrieval,
  asked: IndexQuery,
  hiddenKeys: (documentId: string) => readonly string[],
): Promise<z.input<typeof resultBody>[]> {
  const tokenizer = await loadTokenizer();
  const scores = new Map(candidates.map(({ chunk, score }) => [chunk.id, score]));
  const { score_threshold: threshold } = asked;
  return chunks
    .slice(0, getResultLimit(asked))
    .filter(({ score }) => threshold == null || score >= threshold)
    .map(({ chunk, score, parts }) => ({
      content: chunk.text,
      metadata: presentMetadata({ ...chunk.metadata, ...pageMetadata(chunk) }, hiddenKeys(chunk.documentId)),
      score: scores.get(chunk.id) ?? score,
      rerank_score: parts?.rerank ?? null,
      static_fields: {
        parsed_directory_file_id: chunk.documentId,
        chunk_index: chunk.position,
        chunk_start_char: chunk.startChar,
        chunk_end_char: chunk.endChar,
        chunk_token_count: tokenizer.count(chunk.text),
        page_range_start: chunk.startPage === undefined ? null : chunk.startPage + 1,
        page_range_end: chunk.startPage === undefined ? null : (chunk.endPage ?? chunk.startPage) + 1,
        attachments: [],
      },
    }));
}

/** Clients expect lists of texts only. */
const presentMetadata = (metadata: object, hidden: readonly string[]) =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([key]) => !hidden.includes(key))
      .map(([key, value]) => [key, Array.isArray(value) ? value.map(String) : value]),
  );
