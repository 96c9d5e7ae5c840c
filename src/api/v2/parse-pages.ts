import { z } from 'zod';
import { expandField, pickExpansions } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import type { Page } from '#src/documents/document.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import { requireResult } from '#src/services/jobs/parse/results/open.ts';
import { listResultRanges, readResultPage } from '#src/services/jobs/parse/results/page.ts';
import { toPageItems } from '#src/services/jobs/parse/results/pages.ts';
import { jobParams } from './jobs.schemas.ts';
import { boxBody, itemBody } from './parse.schemas.ts';

const pageNumber = z.number().int().min(1).describe('Number of the page, from 1.');

const parsedPages = z
  .object({
    job_id: z.string(),
    content_hash: z
      .string()
      .describe('Hash of the bytes that were read. Jobs with equal hashes read the same content.'),
    page_count: z.number().int().describe('Number of pages of the document.'),
    ranges: z
      .array(z.object({ first: pageNumber, last: pageNumber }))
      .describe('Pages that the job reads, in ascending order. Both ends are included.'),
  })
  .meta({ id: 'ParsedPages' });

const parsedPage = z
  .object({
    page_number: pageNumber,
    success: z.boolean(),
    error: z.string().nullable().describe('Reason why the page could not be read.'),
    width: z.number().describe('Size of the page in points. Boxes have the same unit.'),
    height: z.number(),
    markdown: z.string().nullish(),
    text: z.string().nullish(),
    items: z.array(itemBody).nullish().describe('Blocks in reading order.'),
    words: z
      .array(
        boxBody.extend({
          text: z.string(),
          confidence: z.number().nullish().describe('Confidence of the OCR engine, from 0 to 1.'),
        }),
      )
      .nullish(),
  })
  .meta({ id: 'ParsedPage' });

const FORMS = ['markdown', 'text', 'items', 'words'] as const;

const members = {
  markdown: ({ markdown }) => ({ markdown }),
  text: ({ text }) => ({ text }),
  items: (page) => ({ items: toPageItems(page) }),
  words: ({ words }) => ({
    words: words.map(([text, x, y, w, h, confidence]) => ({
      ...{ text, x, y, w, h },
      ...(confidence !== undefined && { confidence }),
    })),
  }),
} satisfies Record<(typeof FORMS)[number], (page: Page) => Partial<z.input<typeof parsedPage>>>;

const path = '/api/v2/parse/{job_id}/pages';
const tag = 'Parse';
const params = jobParams('pjb');

export const parsePageOperations = [
  operation({
    method: 'get',
    path,
    id: 'listParseJobPages',
    needs: 'read',
    tag,
    summary: 'List the pages of a parse job',
    description:
      'Returns which pages of its document a completed job reads, without their content. Answers 409 if the job ' +
      'has not completed.',
    access: 'resource',
    params,
    response: { status: 200, json: parsedPages },
    errors: [409],
    async handle({ ctx, params }) {
      const result = await requireResult(ctx, await getJob<ParseJob>(ctx, 'parse', params.job_id));
      const { job, pageCount } = result;
      return {
        ...{ job_id: job.id, content_hash: job.contentHash!, page_count: pageCount },
        ranges: listResultRanges(result),
      };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{page_number}`,
    id: 'getParseJobPage',
    needs: 'read',
    tag,
    summary: 'Read a page of a parse job',
    description:
      'Returns one page of a completed job and, with `expand`, its Markdown, text, blocks and words. Positions ' +
      'refer to the picture of the page. Formats that are drawn by this service, such as Word, have positions only ' +
      'if the job has default parameters. Answers 409 if the job has not completed.',
    access: 'resource',
    params: params.extend({ page_number: pageNumber }),
    query: z.object({ expand: expandField(FORMS, 'Which further members the page has.') }),
    response: { status: 200, json: parsedPage },
    errors: [409],
    async handle({ ctx, params, query }) {
      const result = await requireResult(ctx, await getJob<ParseJob>(ctx, 'parse', params.job_id));
      const page = await readResultPage(ctx, result, params.page_number);
      const error = getPageFailure(page) ?? null;
      const shown: z.input<typeof parsedPage> = {
        ...{ page_number: page.index + 1, success: error === null, error },
        ...{ width: page.width, height: page.height },
      };
      for (const form of pickExpansions(FORMS, query.expand)) Object.assign(shown, members[form](page));
      return shown;
    },
  }),
];
