import { z } from 'zod';
import { fileParameters, readFileInput } from '#src/api/mcp/file-input.ts';
import { FORMATS, type Format, goOn, type Place, readPlace } from '#src/api/mcp/page.ts';
import { readText } from '#src/api/mcp/read-text.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { FORMS, filePage } from '#src/api/v1/files/file-pages.ts';
import { fileBody } from '#src/api/v1/files/files.ts';
import { citation } from '#src/api/v1/files/page.schemas.ts';
import { Invalid } from '#src/lib/errors.ts';
import { getFile } from '#src/services/files/files.ts';

const format = z.enum(FORMS).extract(FORMATS);
const DEFAULT_FORMAT: Format = 'markdown';

const pageText = z.object({
  page: citation.shape.page,
  label: filePage.shape.label,
  needs_ocr: z.boolean().describe('Whether the page shows text that could not be read.'),
  text: z.string(),
  text_cut: z.boolean().describe('Whether the text begins or ends within the page.'),
});

export const readPages = tool({
  name: 'read_pages',
  title: 'Read pages of a file',
  description:
    'Reads the text of a file, page by page, as Markdown (headings, tables) or plain text. Send a range of pages, or ' +
    'none for the whole file. An answer contains up to 100 KiB. While it has a next_page_token, call again with it as ' +
    'page_token. Scanned pages are read by OCR, which may take a while.',
  input: z.object({
    ...fileParameters('Id of a file, from search, ask or find_files.'),
    first_page: citation.shape.page.nullish().describe('First page, counted from 1. Default: 1.'),
    last_page: citation.shape.page
      .nullish()
      .describe('Last page, inclusive. Default: the last page of the file.'),
    format: format.nullish().describe('Format of the text. Default: markdown.'),
    page_token: z
      .string()
      .nullish()
      .describe(
        'The next_page_token of the previous call. It contains range and format, so other parameters are ignored.',
      ),
  }),
  output: z.object({
    file_id: fileBody.shape.id,
    file_name: fileBody.shape.name,
    page_count: z.number().int().min(0).describe('Number of pages of the whole file.'),
    format,
    pages: z.array(pageText),
    next_page_token: buildPageSchema(pageText).shape.next_page_token,
  }),
  needs: 'read',
  annotations: READS,
  async handle({ ctx, input, signal, fence }) {
    const file = await getFile(ctx, readFileInput(input));
    const placeIn = (pageCount: number) => readPlace(input.page_token, pageCount) ?? begin(input, pageCount);
    const { pages, pageCount, place, next } = await readText(ctx, file, placeIn, signal);
    const data = {
      file_id: file.id,
      file_name: file.name,
      page_count: pageCount,
      format: place.format,
      pages,
      next_page_token: next,
    };
    const formatted = pages.map(
      ({ page, needs_ocr, text }) =>
        `Page ${page} of ${pageCount}${needs_ocr ? ' (shows something that nobody has read)' : ''}:\n${fence(text)}`,
    );
    return { data, text: (formatted.join('\n\n') || 'The file has no pages.') + goOn(next) };
  },
});

interface Range {
  first_page?: number | null | undefined;
  last_page?: number | null | undefined;
  format?: Format | null | undefined;
}

function begin({ first_page, last_page, format }: Range, pageCount: number): Place {
  const page = first_page ?? 1;
  const lastPage = Math.min(last_page ?? pageCount, pageCount);
  if (page > Math.max(pageCount, 1)) {
    throw Invalid.field(['first_page'], `the file has ${pageCount} pages`);
  }
  if (last_page && last_page < page) throw Invalid.field(['last_page'], 'must not be before first_page');
  return { page, offset: 0, lastPage, format: format ?? DEFAULT_FORMAT };
}
