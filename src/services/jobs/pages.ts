import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { files } from '#src/db/schema/index.ts';
import type { DocumentMetadata, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { RANGE_PAGES, splitIntoRanges } from '#src/documents/page-selection.ts';
import {
  getPageFailure,
  type ParseKey,
  readRange,
  readRangeWithWords,
  type StoredPage,
  writeSummary,
} from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { openParser } from '#src/reading/service/open-parser.ts';
import { adoptPresignedUpload } from '#src/services/files/pending-uploads.ts';
import type { HeldLease } from '#src/work/held-lease.ts';

/**
 * Maximum number of pages with their words that a job holds in memory. Longer documents are read in windows.
 */
export const WINDOW_PAGES = 256;

/** Identifies the stored pages of a parsed document. */
export interface ParsedDocument {
  key: ParseKey;
  name: string;
  title: string | undefined;
  pageCount: number;
  metadata: DocumentMetadata;
}

/**
 * Parses a file, unless its pages are already stored. Jobs and pipelines with equal parse parameters share
 * the stored pages.
 */
export async function parseForJob(
  ctx: Context,
  fileId: string,
  parameters: ParseParameters,
  hold: HeldLease,
): Promise<ParsedDocument> {
  const found = await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) });
  const file = found && (await adoptPresignedUpload(ctx, found));
  if (!file?.contentHash || !file.storageKey) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', `File ${fileId} or its content was deleted.`);
  }
  const { parser, getConfigHash } = await openParser(ctx, file.projectId, parameters);
  const configHash = await getConfigHash(file.name);
  const key: ParseKey = { projectId: file.projectId, contentHash: file.contentHash, configHash };
  const request: FileRequest = {
    ...key,
    storageKey: file.storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters,
    run: hold.consumer,
    begun: Date.now(),
  };
  await hold.checkpoint('parsing');
  const progress = () => hold.checkpoint('parsing');
  const { parsed, missing } = await parser.parseFile(request, progress);
  for (let left = missing; left.length > 0; ) {
    await hold.checkpoint(`parsing from page ${left[0]!.from + 1} of ${parsed.pageCount}`);
    left = await parser.parseRanges(request, left, progress);
  }
  if (missing.length > 0) await writeSummary(ctx.bucket, key, parsed);
  if (parameters.output_pdf_of_document) {
    await hold.checkpoint('writing the PDF');
    await ctx.parser.keepPdf(request, () => hold.checkpoint('writing the PDF'));
  }
  const { title } = parsed.metadata;
  return { key, name: file.name, title, pageCount: parsed.pageCount, metadata: parsed.metadata };
}

export type Parsed = Pick<ParsedDocument, 'key' | 'pageCount'>;

export interface PageSelection {
  target_pages?: string | null | undefined;
  max_pages?: number | null | undefined;
}

/** Yields the selected pages with their words, at most `size` at a time. */
export async function* iteratePageWindows(
  bucket: R2Bucket,
  document: Parsed,
  selection: PageSelection,
  size = WINDOW_PAGES,
): AsyncGenerator<Page[]> {
  const window: Page[] = [];
  const ranges = iterateSelectedPages(document, selection, (from) =>
    readRangeWithWords(bucket, document.key, from),
  );
  for await (const pages of ranges) {
    window.push(...pages);
    while (window.length >= size) yield window.splice(0, size);
  }
  if (window.length > 0) yield window;
}

export function countSelectedPages(
  { pageCount }: Parsed,
  { target_pages, max_pages }: PageSelection,
): number {
  return Math.min(
    wantedPages(pageCount, { target: target_pages ?? undefined }).size,
    max_pages ?? Number.POSITIVE_INFINITY,
  );
}

/** Yields the selected pages without words, one range at a time. */
export function iterateRanges(
  bucket: R2Bucket,
  document: Parsed,
  selection: PageSelection,
): AsyncGenerator<StoredPage[]> {
  return iterateSelectedPages(document, selection, (from) => readRange(bucket, document.key, from));
}

async function* iterateSelectedPages<Kept extends StoredPage>(
  { pageCount }: Parsed,
  selection: PageSelection,
  read: (from: number) => Promise<Kept[] | undefined>,
): AsyncGenerator<Kept[]> {
  const { target_pages, max_pages } = selection;
  // If the stored pages are themselves a selection, `max_pages` counts only these pages.
  const wanted = wantedPages(pageCount, { target: target_pages ?? undefined });
  const most = max_pages ?? Number.POSITIVE_INFINITY;
  if (wanted.size === 0) {
    throw new ParseError(
      'NO_DATA_FOUND_IN_FILE',
      `target_pages selects no page: the document has ${pageCount} pages.`,
    );
  }
  const starts = new Set([...wanted].map((index) => index - (index % RANGE_PAGES)));
  let found = 0;
  let areStored = false;
  for (const { from } of splitIntoRanges(pageCount)) {
    if (!starts.has(from)) continue;
    const stored = (await read(from)) ?? [];
    const pages = stored.filter(({ index }) => wanted.has(index)).slice(0, most - found);
    areStored ||= stored.length > 0;
    found += pages.length;
    yield pages;
    if (found >= most) return;
  }
  if (found > 0) return;
  const reason = areStored
    ? 'None of the target_pages has been parsed.'
    : 'The parsed pages were deleted. Parse the document again.';
  throw new ParseError('NO_DATA_FOUND_IN_FILE', reason);
}

/** Yields all parsed pages without words. One page range is in memory at a time. */
export async function* iterateParsedPages(bucket: R2Bucket, key: ParseKey, pageCount: number) {
  for (const { from } of splitIntoRanges(pageCount)) yield* (await readRange(bucket, key, from)) ?? [];
}

export async function hasUnreadPages(bucket: R2Bucket, key: ParseKey, pageCount: number): Promise<boolean> {
  for await (const page of iterateParsedPages(bucket, key, pageCount)) {
    if (getPageFailure(page) !== undefined) return true;
  }
  return false;
}
