import type { Context } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import type { Block, Page, Word } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { RANGE_PAGES, rangesOf } from '#src/documents/page-selection.ts';
import { readPage, readRange, type StoredPage } from '#src/documents/page-store.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { NotFound } from '#src/lib/errors.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { looksAsItIs, parseRequestOf, reading, shapeOf } from './page-images.ts';

/** Size and state of a page, as its picture shows it. Sizes are in points; null until the page was parsed. */
export interface PageFacts {
  pageIndex: number;
  label: string | null;
  width: number | null;
  height: number | null;
  /** Whether the page shows text that was not read. */
  needsOcr: boolean | null;
}

export interface PageContent extends PageFacts {
  markdown: string;
  text: string;
  blocks: Block[];
  words: Word[];
}

export interface FilePages {
  /** Null if the file's format cannot be read. */
  kind: FileKind | null;
  pageCount: number;
  pages: PageFacts[];
}

/**
 * Returns known properties of a file's pages. Pages that were not parsed with the default parameters are not
 * parsed now.
 */
export function listPages(
  ctx: Context,
  file: FileRow,
  { offset, limit }: { offset: number; limit: number },
): Promise<FilePages> {
  return reading(async () => {
    const shape = await shapeOf(ctx, file).catch(withoutShape);
    if (!shape) return { kind: null, pageCount: 0, pages: [] };
    const { kind, pageCount } = shape;
    const end = Math.min(offset + limit, pageCount);
    const request = await defaultRequestOf(file);
    const ranges = rangesOf(end, offset - (offset % RANGE_PAGES));
    const known = new Map<number, PageFacts>();
    const read = await inParallel(ranges, ({ from }) => readRange(ctx.bucket, request, from));
    for (const page of read.flatMap((pages) => pages ?? [])) {
      const shown = looksAsItIs(kind) ? page : { ...page, ...sizeOf(layOut(page)) };
      known.set(page.index, factsOf(shown));
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

/** Returns one page, and parses its range if necessary. Throws NotFound beyond the last page. */
export function readFilePage(ctx: Context, file: FileRow, pageIndex: number): Promise<PageContent> {
  return reading(async () => {
    const { kind, pageCount } = await shapeOf(ctx, file);
    if (pageIndex >= pageCount) throw new NotFound(`Page ${pageIndex} of file`, file.id);
    const request = await defaultRequestOf(file);
    let page = await readPage(ctx.bucket, request, pageIndex);
    if (!page) {
      const [range] = rangesOf(pageCount, startOfRange(pageIndex));
      await ctx.parser.parseRanges(request, [range!], async () => {});
      page = await readPage(ctx.bucket, request, pageIndex);
    }
    if (!page) throw new NotFound(`Page ${pageIndex} of file`, file.id);
    const { markdown, text, blocks, words, ...shown } = looksAsItIs(kind) ? page : laidOut(page);
    return { ...factsOf(shown), markdown, text, blocks, words };
  });
}

export interface ReadablePages {
  pageCount: number;
  /**
   * Yields the pages from this index on, in order. A range that was never parsed is parsed when it is
   * reached.
   */
  from(pageIndex: number): AsyncGenerator<StoredPage>;
}

/** Opens a file's pages for sequential reading. Each range is read once. */
export function openPages(ctx: Context, file: FileRow): Promise<ReadablePages> {
  return reading(async () => {
    const { pageCount } = await shapeOf(ctx, file);
    const request = await defaultRequestOf(file);
    return { pageCount, from: (pageIndex) => pagesFrom(ctx, request, pageCount, pageIndex) };
  });
}

async function* pagesFrom(ctx: Context, request: FileRequest, pageCount: number, pageIndex: number) {
  for (const range of rangesOf(pageCount, startOfRange(pageIndex))) {
    const pages = await reading(async () => {
      const known = await readRange(ctx.bucket, request, range.from);
      if (known) return known;
      await ctx.parser.parseRanges(request, [range], async () => {});
      return readRange(ctx.bucket, request, range.from);
    });
    yield* (pages ?? []).filter(({ index }) => index >= pageIndex);
  }
}

const startOfRange = (pageIndex: number) => pageIndex - (pageIndex % RANGE_PAGES);

/** Returns the parse request that pipelines and jobs without parameters share. */
async function defaultRequestOf(file: FileRow): Promise<FileRequest> {
  const request = parseRequestOf(file);
  return { ...request, configHash: await parsingConfigHash(request.parameters) };
}

function withoutShape(error: unknown): undefined {
  if (error instanceof ParseError && error.reason === 'UNSUPPORTED_FILE_TYPE') return undefined;
  throw error;
}

const factsOf = ({
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

const sizeOf = ({ width, height }: { width: number; height: number }) => ({ width, height });

/** Adds the positions of blocks and words on the page's picture. */
function laidOut(page: Page): Page {
  const layout = layOut(page);
  return {
    ...page,
    ...sizeOf(layout),
    blocks: page.blocks.map(({ box: _, ...block }, at) => {
      const drawn = layout.blocks[at];
      return drawn ? { ...block, box: drawn.box } : block;
    }),
    words: layout.blocks.flatMap((block) => block.words),
  };
}
