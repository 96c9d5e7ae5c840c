import type { Context } from '#src/context.ts';
import type { FileRow, Pipeline } from '#src/db/schema/index.ts';
import type { Page } from '#src/parsing/document.ts';
import { readPage } from '#src/parsing/page-store.ts';
import type { StoredChunk } from '#src/search/types.ts';
import { boxesOnPage, type PageBoxes, textOnPage } from './chunk-boxes.ts';
import { findMembers } from './document-members.ts';
import { parseOf, readFileText } from './document-texts.ts';

/** Of a chunk of more pages, a whole file mostly, it is not looked up where it is printed. */
const MOST_PAGES = 10;

/** Looks up where chunks of a file are printed; nowhere for texts, which have no print. */
export async function boxFinder(ctx: Context, pipeline: Pipeline, file: FileRow | null) {
  const parse = file && parseOf(pipeline, file);
  const document = file && (await readFileText(ctx, pipeline, file));
  let last: { at: number; page: Page | undefined } | undefined;
  const pageAt = async (at: number): Promise<Page | undefined> => {
    if (last?.at !== at) last = { at, page: await readPage(ctx.bucket, parse!, at) };
    return last.page;
  };
  return async (chunk: StoredChunk): Promise<PageBoxes[]> => {
    const { startPage, endPage = startPage } = chunk;
    if (!parse || !document || startPage === undefined || endPage === undefined) return [];
    // The pipeline may parse otherwise by now than when the chunk was made.
    if (document.text.slice(chunk.startChar, chunk.endChar) !== chunk.text) return [];
    const found: PageBoxes[] = [];
    for (let position = startPage; position <= endPage; position += 1) {
      const page = await pageAt(document.pages[position]?.index ?? position);
      const onPage = page && boxesOnPage(page, textOnPage(document, chunk, position));
      if (onPage && onPage.boxes.length > 0) found.push(onPage);
    }
    return found;
  };
}

/** Where each of the chunks, of whatever documents of the pipeline, is printed. */
export async function printedPlaces(
  ctx: Context,
  pipeline: Pipeline,
  chunks: readonly StoredChunk[],
): Promise<PageBoxes[][]> {
  const paged = chunks.filter(hasFewPages);
  if (paged.length === 0) return chunks.map(() => []);
  const ids = [...new Set(paged.map(({ documentId }) => documentId))];
  const members = await findMembers(ctx, pipeline.id, ids);
  const finders = new Map(
    await Promise.all(
      ids.map(async (id) => [id, await boxFinder(ctx, pipeline, members.get(id)?.file ?? null)] as const),
    ),
  );
  return Promise.all(
    chunks.map(async (chunk) => (hasFewPages(chunk) ? finders.get(chunk.documentId)!(chunk) : [])),
  );
}

const hasFewPages = ({ startPage, endPage = startPage }: StoredChunk) =>
  startPage !== undefined && endPage !== undefined && endPage - startPage < MOST_PAGES;

/** Box by box, each with its page. */
export const flatBoxes = (pages: readonly PageBoxes[]) =>
  pages.flatMap(({ pageIndex, width, height, boxes }) =>
    boxes.map((box) => ({ page_index: pageIndex, page_width: width, page_height: height, ...box })),
  );
