import { z } from 'zod';
import { streamResponse } from '#src/api/http/stream-pieces.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildContentDisposition } from '#src/bucket/content-disposition.ts';
import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import {
  arrayPieces,
  objectPieces,
  type Pieces,
  textPieces,
  valuePieces,
} from '#src/lib/json/json-pieces.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import {
  DOWNLOAD_FORMATS,
  DOWNLOADS,
  type DownloadFormat,
  getDownloadMetadata,
  joinPages,
  requireDownload,
} from '#src/services/jobs/parse/results/downloads.ts';
import { listImages } from '#src/services/jobs/parse/results/images.ts';
import { listOmissions } from '#src/services/jobs/parse/results/omissions.ts';
import { type ParseResult, readDocumentMetadata } from '#src/services/jobs/parse/results/open.ts';
import { mapPages, PAGE_VIEWS, type PageView } from '#src/services/jobs/parse/results/pages.ts';
import { readStructuredOutput } from '#src/services/jobs/parse/structured-output.ts';
import { jobParams } from './jobs.schemas.ts';
import type { Expandable } from './parse.schemas.ts';

/** Parse result and request data from which the fields of a response are written. */
export interface Asked {
  ctx: Context;
  origin: string;
  result: ParseResult;
}

/**
 * Returns an object as pieces of JSON. The object has the fields of `head`, followed by the pages of the
 * result in the form that `present` returns.
 */
export const pagePieces = (
  result: ParseResult,
  present: (page: StoredPage, result: ParseResult) => object,
  head: object = {},
): Pieces =>
  objectPieces(head, [['pages', arrayPieces(mapPages(result.pages(), (page) => present(page, result)))]]);

const pages =
  (form: PageView) =>
  ({ result }: Asked) =>
    pagePieces(result, PAGE_VIEWS[form]);

const full =
  (form: 'markdown' | 'text') =>
  ({ result }: Asked) =>
    textPieces(joinPages(result, form));

const content =
  (format: DownloadFormat) =>
  ({ ctx, origin, result }: Asked) =>
    valuePieces(() => getDownloadMetadata(ctx, origin, result, format));

async function* metadata({ ctx, result }: Asked): Pieces & AsyncGenerator<string> {
  yield* pagePieces(result, PAGE_VIEWS.metadata, { document: await readDocumentMetadata(ctx, result) });
}

/** Functions that write each response field that a request can ask for with `expand`. */
export const EXPANSIONS: Record<Expandable, (asked: Asked) => Pieces> = {
  markdown: pages('markdown'),
  text: pages('text'),
  items: pages('items'),
  metadata,
  omissions: ({ ctx, result }) => arrayPieces(listOmissions(ctx, result)),
  markdown_full: full('markdown'),
  text_full: full('text'),
  markdown_content_metadata: content('markdown'),
  text_content_metadata: content('text'),
  json_content_metadata: content('json'),
  xlsx_content_metadata: content('xlsx'),
  pdf_content_metadata: content('pdf'),
  structured: ({ ctx, result }) => valuePieces(() => readStructuredOutput(ctx, result)),
  images_content_metadata: ({ ctx, origin, result }) =>
    valuePieces(() => loadImagesMetadata(ctx, origin, result)),
};

/** Returns the metadata of the pictures in a parse result. The list is small, so it is built in memory. */
export async function loadImagesMetadata(
  ctx: Context,
  origin: string,
  result: ParseResult,
  wanted?: ReadonlySet<string>,
) {
  const images = await Array.fromAsync(listImages(ctx, origin, result, wanted));
  return { images, total_count: images.length };
}

export const expansions = (names: readonly Expandable[], asked: Asked) =>
  [...new Set(names)].map((name) => [name, EXPANSIONS[name](asked)] as const);

/** Streams a parse result to the client as a file in the given format. */
export function downloadResponse(ctx: Context, result: ParseResult, format: DownloadFormat): Response {
  const { contentType, extension, bytes } = DOWNLOADS[format];
  return streamResponse(ctx, bytes(result), {
    'cache-control': 'private, no-cache',
    'content-disposition': buildContentDisposition('attachment', `${result.job.id}.${extension}`),
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
  });
}

const text = z.string();

export const parseResultOperations = [
  operation({
    method: 'get',
    path: '/api/v2/parse/{job_id}/result/{format}',
    id: 'downloadParseResult',
    needs: 'read',
    tag: 'Parse',
    summary: 'Download the result of a parse job',
    description:
      'Returns the whole document as `markdown` or `text`, all pages as `json`, all tables as an ' +
      '`xlsx` workbook with one sheet for each table, or a `pdf` if the parse parameter ' +
      '`output_pdf_of_document` asked for it.',
    access: 'resource',
    params: jobParams('pjb').extend({
      format: z.enum(DOWNLOAD_FORMATS).describe('Media type of the downloaded result.'),
    }),
    response: {
      status: 200,
      content: {
        'text/markdown': text,
        'text/plain': text,
        'application/json': z.object({ job_id: z.string(), pages: z.array(z.looseObject({})) }),
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': text.meta({ format: 'binary' }),
        'application/pdf': text.meta({ format: 'binary' }),
      },
      description: 'The result',
    },
    errors: [409],
    async handle({ ctx, params }) {
      const job = await getJob<ParseJob>(ctx, 'parse', params.job_id);
      return downloadResponse(ctx, await requireDownload(ctx, job, params.format), params.format);
    },
  }),
];
