import type { Context } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import type { Block, Page, Word } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { RANGE_PAGES, splitIntoRanges } from '#src/documents/page-selection.ts';
import { readPage, readRange, type StoredPage } from '#src/documents/page-store.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { NotFound } from '#src/lib/errors.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { buildParseRequest, hasOwnLayout, inspectFile, withFileErrors } from './page-images.ts';

/**
 * Properties of a page, as its screenshot shows them. Width and height are in points, and null until the page
 * is parsed.
 */
export interface PageFacts {
  pageIndex: number;
  label: string | null;
  width: number | null;
  height: number | null;
  /** True if the page shows text that could not be read. Null until the page is parsed. */
  needsOcr: boolean | null;
}

export interface PageContent extends PageFacts {
  markdown: string;
  text: string;
  blocks: Block[];
  words: Word[];
}

export interface FilePages {
  /** Format of the file. Null if Sluice cannot read the format. */
  kind: FileKind | null;
  pageCount: number;
  pages: PageFacts[];
}

/**
 * Returns the known properties of a file's pages. Pages that were not yet parsed with the default parameters
 * are not parsed now.
 */
export function listPages(
  ctx: Context,
  file: FileRow,
  { offset, limit }: { offset: number; limit: number },
): Promise<FilePages> {
  return withFileErrors(async () => {
    const shape = await inspectFile(ctx, file).catch(ignoreUnsupportedFormat);
    if (!shape) return { kind: null, pageCount: 0, pages: [] };
    const { kind, pageCount } = shape;
    const end = Math.min(offset + limit, pageCount);
    const request = await buildDefaultRequest(file);
    const ranges = splitIntoRanges(end, offset - (offset % RANGE_PAGES));
    const known = new Map<number, PageFacts>();
    const read = await inParallel(ranges, ({ from }) => readRange(ctx.bucket, request, from));
    for (const page of read.flatMap((pages) => pages ?? [])) {
      const shown = hasOwnLayout(kind) ? page : { ...page, ...pickSize(layOut(page)) };
      known.set(page.index, toPageFacts(shown));
    }
    const unknown = { label: null, width: null, height: null, needsOcr: null };
    const pages = Array.from({ length: Math.max(0, end - offset) }, (_, at) => offset + at);
    return {
      kind,
      pageCount,
      pages: pages.map((pageIndex) => known.get(pageIndex) ?? { pageIndex, ...unknown }),
    };
  });
}

/** Returns one page. Its page range is parsed if necessary. Throws NotFound beyond the last page. */
export function readFilePage(ctx: Context, file: FileRow, pageIndex: number): Promise<PageContent> {
  return withFileErrors(async () => {
    const { kind, pageCount } = await inspectFile(ctx, file);
    if (pageIndex >= pageCount) throw new NotFound(`Page ${pageIndex} of file`, file.id);
    const request = await buildDefaultRequest(file);
    let page = await readPage(ctx.bucket, request, pageIndex);
    if (!page) {
      const [range] = splitIntoRanges(pageCount, getRangeStart(pageIndex));
      await ctx.parser.parseRanges(request, [range!], async () => {});
      page = await readPage(ctx.bucket, request, pageIndex);
    }
    if (!page) throw new NotFound(`Page ${pageIndex} of file`, file.id);
    const { markdown, text, blocks, words, ...shown } = hasOwnLayout(kind) ? page : addLayout(page);
    return { ...toPageFacts(shown), markdown, text, blocks, words };
  });
}

export interface ReadablePages {
  pageCount: number;
  /**
   * Yields the pages in order, starting at this page index. A page range that was not parsed yet is parsed
   * when it is reached.
   */
  from(pageIndex: number): AsyncGenerator<StoredPage>;
}

/** Opens a file's pages for reading in order. Each page range is read once. */
export function openPages(ctx: Context, file: FileRow): Promise<ReadablePages> {
  return withFileErrors(async () => {
    const { pageCount } = await inspectFile(ctx, file);
    const request = await buildDefaultRequest(file);
    return { pageCount, from: (pageIndex) => iteratePagesFrom(ctx, request, pageCount, pageIndex) };
  });
}

async function* iteratePagesFrom(ctx: Context, request: FileRequest, pageCount: number, pageIndex: number) {
  for (const range of splitIntoRanges(pageCount, getRangeStart(pageIndex))) {
    const pages = await withFileErrors(async () => {
      const known = await readRange(ctx.bucket, request, range.from);
      if (known) return known;
      await ctx.parser.parseRanges(request, [range], async () => {});
      return readRange(ctx.bucket, request, range.from);
    });
    yield* (pages ?? []).filter(({ index }) => index >= pageIndex);
  }
}

const getRangeStart = (pageIndex: number) => pageIndex - (pageIndex % RANGE_PAGES);

/** Returns the parse request with default parameters, which pipelines and jobs without parameters share. */
async function buildDefaultRequest(file: FileRow): Promise<FileRequest> {
  const request = buildParseRequest(file);
  return { ...request, configHash: await parsingConfigHash(request.parameters) };
}

function ignoreUnsupportedFormat(error: unknown): undefined {
  if (error instanceof ParseError && error.reason === 'UNSUPPORTED_FILE_TYPE') return undefined;
  throw error;
}

const toPageFacts = ({
  index,
  label,
  width,
  height,
  needsOcr = false,
}: Pick<Page, 'index' | 'label' | 'width' | 'height' | 'needsOcr'>): PageFacts => ({
  pageIndex: index,
  label,
  width,
  height,
  needsOcr,
});

const pickSize = ({ width, height }: { width: number; height: number }) => ({ width, height });

/** Adds the positions of blocks and words in the screenshot of the page. */
export function addLayout(page: Page): Page {
  const layout = layOut(page);
  return {
    ...page,
    ...pickSize(layout),
    blocks: page.blocks.map(({ box: _, ...block }, at) => {
      const drawn = layout.blocks[at];
      return drawn ? { ...block, box: drawn.box } : block;
    }),
    words: layout.blocks.flatMap((block) => block.words),
  };
}
