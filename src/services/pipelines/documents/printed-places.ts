import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { FileRow, Pipeline } from '#src/db/schema/index.ts';
import type { Box, Page } from '#src/documents/document.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { RANGE_PAGES } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { type ParseKey, readRangeWithWords } from '#src/documents/page-store.ts';
import type { Citation } from '#src/extraction/evidence.ts';
import { PrintedPage } from '#src/extraction/printed-page.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import type { ChunkableDocument } from '#src/ingest/chunking/chunker.ts';
import { linkedText, withoutFigureLinks } from '#src/ingest/join-pages.ts';
import { dropOwnPictures, dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { isPageless, looksAsItIs } from '#src/services/files/page-images.ts';
import { findMembers } from './document-members.ts';
import { parseOf, readFileText } from './document-texts.ts';

/** Maximum pages of a chunk whose places a list looks up. Longer chunks are usually whole files. */
const MOST_PAGES = 10;
/**
 * Maximum pages of one chunk that are searched. Further pages are returned with their text, but without boxes
 * and dimensions.
 */
const MOST_LOOKED_THROUGH = 64;

/** A page that a chunk touches. */
export interface PrintedPlace {
  /** 0-based page index. */
  pageIndex: number;
  /** Size of the page's picture in points; absent if the page was not searched. */
  dimensions?: { width: number; height: number };
  /** Text of the chunk on this page, as Markdown. */
  text: string;
  /** One box per printed line. */
  boxes: Box[];
}

export const WITHOUT_PLACES = ['text_document', 'no_pages', 'not_parsed', 'parsed_anew'] as const;

export interface Printed {
  pages: PrintedPlace[];
  /** Reason why there are no pages. */
  without?: (typeof WITHOUT_PLACES)[number];
}

/**
 * Creates a lookup for the printed places of a document's chunks. `file` is null for inserted texts, which
 * are not printed.
 */
export async function placeFinder(ctx: Context, pipeline: Pipeline, file: FileRow | null) {
  const parse = file && parseOf(pipeline, file);
  if (!file) return async () => without('text_document');
  const [kind, document] = await Promise.all([
    parse && kindOf(ctx, parse),
    readFileText(ctx, pipeline, file),
  ]);
  if (!parse || !kind || !document) return async () => without('not_parsed');
  if (isPageless(kind)) return async () => without('no_pages');
  const chunked: ReadText = { document, pageAt: pageReader(ctx, parse, document, kind) };
  const readLinked = once(async (): Promise<ReadText | undefined> => {
    const text = await readFileText(ctx, pipeline, file, linkedText);
    return text && { document: text, pageAt: pageReader(ctx, parse, text, kind) };
  });
  return async (chunk: StoredChunk): Promise<Printed> => {
    const { startPage, endPage = startPage, startChar: start, endChar: end } = chunk;
    if (startPage === undefined || endPage === undefined) return without('no_pages');
    let found: ReadText | undefined = chunked;
    // Older indexes contain links to figures, and therefore other offsets.
    if (!contains(chunked.document, chunk)) found = await readLinked();
    if (!found || !contains(found.document, chunk)) return without('parsed_anew');
    const { document, pageAt } = found;
    const pages: PrintedPlace[] = [];
    for (let position = startPage; position <= endPage; position += 1) {
      const on = stretchOf(document, position);
      const stretch = { start: Math.max(start, on.start), end: Math.min(end, on.end) };
      const text = document.text.slice(stretch.start, Math.max(stretch.start, stretch.end));
      const pageIndex = document.pages[position]?.index ?? position;
      const page = position - startPage < MOST_LOOKED_THROUGH ? await pageAt(position) : undefined;
      const dimensions = page &&
        page.width > 0 &&
        page.height > 0 && { width: page.width, height: page.height };
      pages.push({
        pageIndex,
        text,
        boxes: page?.print.boxesOf(stretch) ?? [],
        ...(dimensions && { dimensions }),
      });
    }
    return { pages };
  };
}

/** Text of a file, and a reader of its pages. */
interface ReadText {
  document: ChunkableDocument;
  pageAt: ReturnType<typeof pageReader>;
}

/** Returns whether the chunk was cut from this text. Answers show chunks without links to figures. */
const contains = ({ text }: ChunkableDocument, { startChar, endChar, text: own }: StoredChunk) =>
  dropStoredFigures(text.slice(startChar, endChar)) === dropStoredFigures(own);

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const without = (reason: Printed['without']): Printed => ({ pages: [], ...(reason && { without: reason }) });

async function kindOf(ctx: Context, { projectId, contentHash, configHash }: ParseKey) {
  const stored = await ctx.bucket.get(keys.parseSummary(projectId, contentHash, configHash));
  return (await stored?.json<ParsedFile>())?.kind;
}

const stretchOf = ({ text, pageStarts }: ChunkableDocument, position: number) => ({
  start: pageStarts[position] ?? 0,
  end: pageStarts[position + 1] ?? text.length,
});

/** Returns pages by position. Chunks come in order, so the last page and its range are cached. */
function pageReader(ctx: Context, parse: ParseKey, document: ChunkableDocument, kind: FileKind) {
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
    // Blocks are matched by their Markdown, which contains links to figures only if the joined text does.
    const isLinked = joined !== undefined && dropOwnPictures(joined.markdown) !== joined.markdown;
    const page = isLinked ? stored : withoutFigureLinks(stored);
    const layout = looksAsItIs(kind) ? undefined : layOut(stored);
    const { width, height } = layout ?? page;
    const on = stretchOf(document, position);
    const print = new PrintedPage(document.text, on, page, joined?.blocks ?? page.blocks, layout?.blocks);
    last = { position, width, height, print };
    return last;
  };
}

/** Returns the printed places of chunks from any documents of the pipeline. */
export async function printedPlaces(
  ctx: Context,
  pipeline: Pipeline,
  chunks: readonly StoredChunk[],
): Promise<PrintedPlace[][]> {
  const paged = chunks.filter(hasFewPages);
  if (paged.length === 0) return chunks.map(() => []);
  const ids = [...new Set(paged.map(({ documentId }) => documentId))];
  const members = await findMembers(ctx, pipeline.id, ids);
  const finders = new Map(
    await Promise.all(
      ids.map(async (id) => [id, await placeFinder(ctx, pipeline, members.get(id)?.file ?? null)] as const),
    ),
  );
  return Promise.all(
    chunks.map(async (chunk) =>
      hasFewPages(chunk) ? (await finders.get(chunk.documentId)!(chunk)).pages : [],
    ),
  );
}

const hasFewPages = ({ startPage, endPage = startPage }: StoredChunk) =>
  startPage !== undefined && endPage !== undefined && endPage - startPage < MOST_PAGES;

/** Returns all boxes, each with its page. */
export const flatBoxes = (pages: readonly PrintedPlace[]) =>
  pages.flatMap(({ pageIndex, dimensions, boxes }) =>
    boxes.map((box) => ({
      page_index: pageIndex,
      page_width: dimensions?.width ?? 0,
      page_height: dimensions?.height ?? 0,
      ...box,
    })),
  );

/** Returns one citation per page, in the format of extract jobs. */
export const citationsOf = (pages: readonly PrintedPlace[]): Citation[] =>
  pages.map(({ pageIndex, text, boxes, dimensions }) => ({
    page: pageIndex + 1,
    matching_text: text,
    ...(boxes.length > 0 && { bounding_boxes: boxes }),
    ...(dimensions && { page_dimensions: dimensions }),
  }));
