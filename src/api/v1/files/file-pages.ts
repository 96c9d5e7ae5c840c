import { z } from 'zod';
import { expandField, pickExpansions } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { FILE_KINDS } from '#src/file-formats/registry.ts';
import { getFile } from '#src/services/files/files.ts';
import { listPages, type PageContent, type PageFacts, readFilePage } from '#src/services/files/pages.ts';
import { fileParams } from './files.ts';
import { boundingBox } from './page.schemas.ts';

const DEFAULT_LIMIT = 200;

export const filePage = z
  .object({
    page_index: z.number().int().min(0),
    label: z.string().nullable().describe('Label of the page in its document.'),
    width: z.number().nullable().describe('Size of the page image in points.'),
    height: z.number().nullable(),
    needs_ocr: z.boolean().nullable().describe('Whether the page shows text that has not been read.'),
    state: z
      .enum(['parsed', 'not_parsed'])
      .describe(
        'Whether the page is parsed. Otherwise only its index is known, and reading the page parses it.',
      ),
  })
  .meta({ id: 'FilePage' });

export const FORMS = ['markdown', 'text', 'blocks', 'words'] as const;

export const wholePage = filePage
  .extend({
    markdown: z.string().nullish(),
    text: z.string().nullish(),
    blocks: z
      .array(
        z.object({
          type: z
            .string()
            .describe('Type of the block: heading, paragraph, list, table, figure, code, header or footer.'),
          text: z.string(),
          markdown: z.string(),
          level: z.number().int().nullish().describe('Level of a heading, from 1 to 6.'),
          rows: z
            .array(z.array(z.string()))
            .nullish()
            .describe('Cells of a table by row, beginning with the header.'),
          box: boundingBox
            .nullish()
            .describe('Bounding box in points from the upper left corner of the page.'),
        }),
      )
      .nullish()
      .describe('Blocks in reading order.'),
    words: z
      .array(
        boundingBox.extend({
          text: z.string(),
          confidence: z.number().nullish().describe('Confidence of the OCR engine, from 0 to 1.'),
        }),
      )
      .nullish(),
  })
  .meta({ id: 'WholeFilePage' });

const presentFacts = (page: PageFacts): z.input<typeof filePage> => ({
  page_index: page.pageIndex,
  label: page.label,
  width: page.width,
  height: page.height,
  needs_ocr: page.needsOcr,
  state: page.label === null ? 'not_parsed' : 'parsed',
});

const members = {
  markdown: ({ markdown }) => ({ markdown }),
  text: ({ text }) => ({ text }),
  blocks: ({ blocks }) => ({
    blocks: blocks.map((block) => (block.type === 'table' ? { ...block, rows: blockRows(block) } : block)),
  }),
  words: ({ words }) => ({
    words: words.map(([text, x, y, w, h, confidence]) => ({
      ...{ text, x, y, w, h },
      ...(confidence !== undefined && { confidence }),
    })),
  }),
} satisfies Record<(typeof FORMS)[number], (page: PageContent) => Partial<z.input<typeof wholePage>>>;

const path = '/api/v1/files/{id}/pages';

export const filePageOperations = [
  operation({
    method: 'get',
    path,
    id: 'listFilePages',
    needs: 'read',
    tag: 'Page images',
    summary: 'List the pages of a file',
    description:
      'Returns the number of pages and the properties of each page. They come from the parse with ' +
      'default parameters, which pipelines without parse parameters use. This call does not parse the file. A ' +
      'file of an unsupported format has no pages.',
    access: 'project',
    params: fileParams,
    query: z.object({
      limit: z.number().int().min(1).max(1000).nullish().describe('Maximum number of pages. Default: 200.'),
      offset: z.number().int().min(0).nullish().describe('Number of pages to skip.'),
    }),
    response: {
      status: 200,
      json: z.object({
        file_id: z.uuid(),
        kind: z
          .enum(FILE_KINDS)
          .nullable()
          .describe('Format of the content. Null for an unsupported format.'),
        page_count: z.number().int(),
        total_count: z.number().int().describe('Same value under the name that lists use.'),
        limit: z.number().int(),
        offset: z.number().int(),
        pages: z.array(filePage),
      }),
    },
    async handle({ ctx, params, query }) {
      const file = await getFile(ctx, params.id);
      const slice = { offset: query.offset ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
      const { kind, pageCount, pages } = await listPages(ctx, file, slice);
      return {
        ...{ file_id: file.id, kind, page_count: pageCount, total_count: pageCount },
        ...slice,
        pages: pages.map(presentFacts),
      };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{page_index}`,
    id: 'getFilePage',
    needs: 'read',
    tag: 'Page images',
    summary: 'Read a page of a file',
    description:
      'Returns the size of the page and, with `expand`, its text, blocks and words. If the page was ' +
      'never parsed with default parameters, it is parsed now; a scanned page takes as long as its ' +
      'OCR. Positions refer to the image of the page.',
    access: 'project',
    params: z.object({
      ...fileParams.shape,
      page_index: z.number().int().min(0).describe('Index of the page, from 0.'),
    }),
    query: z.object({
      expand: expandField(FORMS, 'Which further members the page has.'),
    }),
    response: { status: 200, json: wholePage },
    async handle({ ctx, params, query }) {
      const file = await getFile(ctx, params.id);
      const page = await readFilePage(ctx, file, params.page_index);
      const asked = pickExpansions(FORMS, query.expand);
      const whole: z.input<typeof wholePage> = presentFacts(page);
      for (const form of asked) Object.assign(whole, members[form](page));
      return whole;
    },
  }),
];
