import type { Context } from '#src/context/context.ts';
import type { FileRow, Pipeline } from '#src/db/schema/index.ts';
import type { Box, Page } from '#src/documents/document.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { RANGE_PAGES } from '#src/documents/page-selection.ts';
import { type ParseKey, readRangeWithWords, readSummary } from '#src/documents/page-store.ts';
import type { Citation } from '#src/extraction/evidence.ts';
import { PrintedPage } from '#src/extraction/printed-page.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import type { ChunkableDocument } from '#src/ingest/chunking/chunker.ts';
import { buildTextWithLinks, removeFigureLinks } from '#src/ingest/join-pages.ts';
import { dropDocumentPictures, dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { hasOwnLayout, isPageless } from '#src/services/files/page-images.ts';
import { findMembers } from './document-members.ts';
import { getParseKey, readFileText } from './document-texts.ts';

/**
 * Maximum number of pages of a chunk for which locations are determined in a list of chunks. Longer chunks
 * usually contain whole files.
 */
const MAX_LOCATED_PAGES = 10;
/**
 * Maximum number of pages of a chunk on which its text is located. Further pages are returned with their
 * text, but without boxes and dimensions.
 */
const MAX_SEARCHED_PAGES = 64;

/** Part of a chunk that lies on one page of the document. */
export interface PageLocation {
  pageIndex: number;
  /** Size of the page in points. Absent if the page was not searched. */
  dimensions?: { width: number; height: number };
  /** Text of the chunk on this page, in Markdown. */
  text: string;
  /** Bounding boxes of the chunk's text on this page, one per printed line. */
  boxes: Box[];
}

export const MISSING_REASONS = ['text_document', 'no_pages', 'not_parsed', 'parsed_anew'] as const;

export interface ChunkLocations {
  pages: PageLocation[];
  /** Reason why a chunk has no page locations. Absent if it has some. */
  missingReason?: (typeof MISSING_REASONS)[number];
}

/**
 * Returns a function that locates chunks of a document on its pages. `file` is null for inserted texts, which
 * have no pages.
 */
export async function createLocator(ctx: Context, pipeline: Pipeline, file: FileRow | null) {
  const parse = file && getParseKey(pipeline, file);
  if (!file) return async () => withoutLocations('text_document');
  const [kind, document] = await Promise.all([
    parse && readFileKind(ctx, parse),
    readFileText(ctx, pipeline, file),
  ]);
  if (!parse || !kind || !document) return async () => withoutLocations('not_parsed');
  if (isPageless(kind)) return async () => withoutLocations('no_pages');
  const chunked: LocatedText = { document, pageAt: createPageReader(ctx, parse, document, kind) };
  const readLinked = memoize(async (): Promise<LocatedText | undefined> => {
    const text = await readFileText(ctx, pipeline, file, buildTextWithLinks);
    return text && { document: text, pageAt: createPageReader(ctx, parse, text, kind) };
  });
  return async (chunk: StoredChunk): Promise<ChunkLocations> => {
    const { startPage, endPage = startPage, startChar: start, endChar: end } = chunk;
    if (startPage === undefined || endPage === undefined) return withoutLocations('no_pages');
    let found: LocatedText | undefined = chunked;
    // Indexes from earlier releases kept links to figures in chunks, so their offsets refer to the text that
    // includes these links.
    if (!containsChunk(chunked.document, chunk)) found = await readLinked();
    if (!found || !containsChunk(found.document, chunk)) return withoutLocations('parsed_anew');
    const { document, pageAt } = found;
    const pages: PageLocation[] = [];
    for (let position = startPage; position <= endPage; position += 1) {
      const on = getPageSpan(document, position);
      const span = { start: Math.max(start, on.start), end: Math.min(end, on.end) };
      const text = document.text.slice(span.start, Math.max(span.start, span.end));
      const pageIndex = document.pages[position]?.index ?? position;
      const page = position - startPage < MAX_SEARCHED_PAGES ? await pageAt(position) : undefined;
      const dimensions = page &&
        page.width > 0 &&
        page.height > 0 && { width: page.width, height: page.height };
      pages.push({
        pageIndex,
        text,
        boxes: page?.print.findBoxes(span) ?? [],
        ...(dimensions && { dimensions }),
      });
    }
    return { pages };
  };
}

interface LocatedText {
  document: ChunkableDocument;
  pageAt: ReturnType<typeof createPageReader>;
}

/**
 * Returns whether the chunk was cut from the given text. The comparison ignores links to figures, because
 * stored chunks may lack them.
 */
const containsChunk = ({ text }: ChunkableDocument, { startChar, endChar, text: own }: StoredChunk) =>
  dropStoredFigures(text.slice(startChar, endChar)) === dropStoredFigures(own);

function memoize<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const withoutLocations = (reason: ChunkLocations['missingReason']): ChunkLocations => ({
  pages: [],
  ...(reason && { missingReason: reason }),
});

async function readFileKind(ctx: Context, parse: ParseKey): Promise<FileKind | undefined> {
  return (await readSummary(ctx.bucket, parse))?.kind;
}

const getPageSpan = ({ text, pageStarts }: ChunkableDocument, position: number) => ({
  start: pageStarts[position] ?? 0,
  end: pageStarts[position + 1] ?? text.length,
});

/**
 * Returns a function that reads a page by its position in the document. The last page is cached, because
 * consecutive chunks are often on the same page.
 */
function createPageReader(ctx: Context, parse: ParseKey, document: ChunkableDocument, kind: FileKind) {
  let range: { from: number; pages: Page[] } | undefined;
  let last: { position: number; width: number; height: number; print: PrintedPage } | undefined;
  return async (position: number) => {
    if (last?.position === position) return last;
    const joined = document.pages[position];
    const index = joined?.index ?? position;
    const from = index - (index % RANGE_PAGES);
    if (range?.from !== from) {
      range = { from, pages: (await readRangeWithWords(ctx.bucket, parse, from)) ?? [] };
    }
    const stored = range.pages.find((each) => each.index === index);
    if (!stored) return undefined;
    // Blocks are located by their Markdown, so figure links are kept on the page only if the document's text
    // contains them too.
    const isLinked = joined !== undefined && dropDocumentPictures(joined.markdown) !== joined.markdown;
    const page = isLinked ? stored : removeFigureLinks(stored);
    const layout = hasOwnLayout(kind) ? undefined : layOut(stored);
    const { width, height } = layout ?? page;
    const on = getPageSpan(document, position);
    const print = new PrintedPage(document.text, on, page, joined?.blocks ?? page.blocks, layout?.blocks);
    last = { position, width, height, print };
    return last;
  };
}

/**
 * Locates chunks on the pages of their documents. A chunk's list is empty if it has no pages or spans too
 * many.
 */
export async function locateChunks(
  ctx: Context,
  pipeline: Pipeline,
  chunks: readonly StoredChunk[],
): Promise<PageLocation[][]> {
  const paged = chunks.filter(hasFewPages);
  if (paged.length === 0) return chunks.map(() => []);
  const ids = [...new Set(paged.map(({ documentId }) => documentId))];
  const members = await findMembers(ctx, pipeline.id, ids);
  const finders = new Map(
    await Promise.all(
      ids.map(async (id) => [id, await createLocator(ctx, pipeline, members.get(id)?.file ?? null)] as const),
    ),
  );
  return Promise.all(
    chunks.map(async (chunk) =>
      hasFewPages(chunk) ? (await finders.get(chunk.documentId)!(chunk)).pages : [],
    ),
  );
}

const hasFewPages = ({ startPage, endPage = startPage }: StoredChunk) =>
  startPage !== undefined && endPage !== undefined && endPage - startPage < MAX_LOCATED_PAGES;

/** Returns the bounding boxes of all pages in one list. Each box includes the index and size of its page. */
export const flattenBoxes = (pages: readonly PageLocation[]) =>
  pages.flatMap(({ pageIndex, dimensions, boxes }) =>
    boxes.map((box) => ({
      page_index: pageIndex,
      page_width: dimensions?.width ?? 0,
      page_height: dimensions?.height ?? 0,
      ...box,
    })),
  );

/** Returns one citation per page, in the format of extract jobs. */
export const toCitations = (pages: readonly PageLocation[]): Citation[] =>
  pages.map(({ pageIndex, text, boxes, dimensions }) => ({
    page: pageIndex + 1,
    matching_text: text,
    ...(boxes.length > 0 && { bounding_boxes: boxes }),
    ...(dimensions && { page_dimensions: dimensions }),
  }));
