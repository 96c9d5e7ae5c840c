import type { Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import { type PageRange, RANGE_PAGES, splitIntoRanges } from '#src/documents/page-selection.ts';
import {
  type RangeState,
  readRangeState,
  readStoredParse,
  type StoredPage,
  type StoredParse,
  writePages,
  writeSummary,
} from '#src/documents/page-store.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { openDocument } from '#src/formats/registry.ts';
import { addMemberHeading } from '#src/formats/shared/members/member-heading.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import type { PagesPlan } from '#src/parse/plan.ts';
import type { ParseResult, ParserRequest } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { crossCheckPage, wantsCrossCheck } from './cross-check.ts';
import { estimateDecodedBytes } from './decoded-size.ts';
import { linkFigures } from './figure-links.ts';
import { frameRunningLines } from './frame-running-lines.ts';
import { checkTimeout } from './job-timeout.ts';
import { splitLongTables } from './long-tables.ts';
import { storePictures, storeUnlocked } from './page-pictures.ts';
import { readScannedPage, wantsOcr } from './scanned-page.ts';

/** A file in the bucket that is about to be opened. */
export interface OpenRequest extends ParserRequest {
  /**
   * Waits until the memory for decoding the file is available. The argument is the required number of bytes.
   * If absent, decoding starts at once.
   */
  admit?: ((bytes: number) => Promise<void>) | undefined;
}

export interface ParseRequest extends OpenRequest {
  /** OCR engine for pages without a text layer. If absent, such pages stay marked as unread. */
  ocr?: Ocr | undefined;
  /**
   * Time limits for reading a page and a range. Waiting for the OCR engine does not count. Defaults are in
   * LIMITS.
   */
  limits?: Partial<Limits> | undefined;
}

export interface Limits {
  pageMs: number;
  rangeMs: number;
  /**
   * Time in milliseconds after which no further range is started with the open document, so that other
   * requests get their turn.
   */
  openMs: number;
}

export const LIMITS: Limits = { pageMs: 30_000, rangeMs: 240_000, openMs: 5_000 };

/**
 * Maximum size of a file in bytes. Whole files are held in memory while they are read, and larger ones could
 * exceed the isolate's 128 MB.
 */
const MAX_PARSE_BYTES = 64 * 1024 * 1024;

/**
 * Maximum number of pages of a file that is parsed by one message. Ranges of larger files are parsed by
 * separate messages.
 */
const MAX_INLINE_PAGES = 2 * RANGE_PAGES;

const MAX_PAGES = 20_000;

/**
 * Number of pages after which other tasks get a turn on the event loop. Reading a page takes milliseconds, at
 * worst seconds. The pause takes about as long as reading a plain page.
 */
const PAGES_BETWEEN_YIELDS = 4;

/** Share of pages that may be unreadable before the file fails, from 0 to 1. */
const DEFAULT_ERROR_TOLERANCE = 0.05;

export async function openStored(
  bucket: R2Bucket,
  request: OpenRequest,
): Promise<OpenDocument & { kind: FileKind }> {
  if (request.size === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file is empty.');
  if (request.size > MAX_PARSE_BYTES) {
    const limit = MAX_PARSE_BYTES / 1024 / 1024;
    throw new ParseError('DOCUMENT_TOO_LARGE', `Files larger than ${limit} MiB cannot be parsed.`);
  }
  const object = await bucket.get(request.storageKey);
  if (!object) throw new Error(`the bytes of ${request.name} are not in the bucket`);
  const bytes = new Uint8Array(await object.arrayBuffer());
  await request.admit?.(estimateDecodedBytes(bytes));
  return openDocument({ bytes, name: request.name, plan: request.plan });
}

/**
 * Parses the pages that were not parsed yet. For a large document, returns the ranges that still have to be
 * parsed with `parseRanges`. A later call then finds all ranges parsed.
 */
export async function parseFile(
  bucket: R2Bucket,
  request: ParseRequest,
  progress: () => Promise<void>,
): Promise<ParseResult> {
  const known = await findCompleteParse(bucket, request);
  if (known) return { parsed: known.parsed, pages: known.whole?.pages, missing: [], cached: true };
  using document = disposable(await openStored(bucket, request));
  const { kind, pageCount, metadata } = document;
  checkPageCount(pageCount, request.plan.pages);
  const wanted = wantedPages(pageCount, request.plan.pages);
  const ranges = splitIntoRanges(pageCount).filter((range) => overlaps(range, wanted));
  // If there is only one range, the missing summary of the parse already shows that the range was not parsed.
  const missing = ranges.length === 1 ? ranges : await listUnparsedRanges(bucket, request, ranges);
  const parsed = { kind, pageCount, metadata };
  if (pageCount > MAX_INLINE_PAGES && missing.length > 0) return { parsed, missing, cached: false };
  const fresh: StoredPage[] = [];
  for (const range of missing) {
    for (const each of await parseRange(bucket, request, document, range, wanted, progress)) fresh.push(each);
    await progress();
  }
  // The summary of a file with one range was stored with its pages.
  if (pageCount > RANGE_PAGES || ranges.length === 0) await writeSummary(bucket, request, parsed);
  const isFresh = missing.length === ranges.length;
  return { parsed, pages: isFresh ? fresh : undefined, missing: [], cached: false };
}

/** Throws ParseError if a document has more pages than the parser or the plan allows. */
function checkPageCount(pageCount: number, { mostAllowed = Number.POSITIVE_INFINITY }: PagesPlan): void {
  if (pageCount <= Math.min(mostAllowed, MAX_PAGES)) return;
  const limit =
    mostAllowed < MAX_PAGES ? `max_pages_enforced allows ${mostAllowed}` : `the limit is ${MAX_PAGES}`;
  throw new ParseError('TOO_MANY_PAGES', `The document has ${pageCount} pages, but ${limit}.`);
}

/**
 * Returns the summary of an earlier parse of equal bytes, or `undefined` if some of its pages have to be
 * parsed again.
 */
async function findCompleteParse(bucket: R2Bucket, request: ParseRequest): Promise<StoredParse | undefined> {
  // Without a selection of pages, every parse contains the first range.
  const needsFirstRange = request.plan.pages.target === undefined;
  const stored = await readStoredParse(bucket, request, { needsFirstRange });
  if (!stored) return undefined;
  const { parsed, whole } = stored;
  if (whole) return isUsable(request, whole.state) ? stored : undefined;
  const wanted = wantedPages(parsed.pageCount, request.plan.pages);
  const ranges = splitIntoRanges(parsed.pageCount).filter((range) => overlaps(range, wanted));
  const missing = await listUnparsedRanges(bucket, request, ranges);
  return missing.length === 0 ? stored : undefined;
}

async function listUnparsedRanges(
  bucket: R2Bucket,
  request: ParseRequest,
  ranges: PageRange[],
): Promise<PageRange[]> {
  const states = await Promise.all(ranges.map((range) => isParsed(bucket, request, range)));
  return ranges.filter((_, at) => !states[at]);
}

/**
 * Parses ranges of a large document one after another, at least one. Returns the ranges that remain when the
 * time is up. Several ranges are parsed at once, because opening a document may cost as much as reading many
 * ranges.
 */
export async function parseRanges(
  bucket: R2Bucket,
  request: ParseRequest,
  ranges: PageRange[],
  progress: () => Promise<void>,
): Promise<PageRange[]> {
  const missing = await listUnparsedRanges(bucket, request, ranges);
  if (missing.length === 0) return [];
  const { openMs } = { ...LIMITS, ...request.limits };
  const begun = Date.now();
  using document = disposable(await openStored(bucket, request));
  const wanted = wantedPages(document.pageCount, request.plan.pages);
  for (const [at, range] of missing.entries()) {
    if (at > 0 && Date.now() - begun >= openMs) return missing.slice(at);
    await parseRange(bucket, request, document, range, wanted, progress);
    await progress();
  }
  return [];
}

/** Returns whether a range was parsed and its pages can be reused. */
async function isParsed(bucket: R2Bucket, request: ParseRequest, { from }: PageRange): Promise<boolean> {
  const state = await readRangeState(bucket, request, from);
  return state !== undefined && isUsable(request, state);
}

/**
 * Returns whether the pages of a stored range can be reused. A range with unread pages is parsed again if a
 * different OCR engine is available.
 */
function isUsable({ ocr, plan, run = '' }: ParseRequest, state: RangeState): boolean {
  if (!plan.job.reuseEarlier && state.run !== run) return false;
  return state.unread === 0 || !ocr || !plan.ocr.enabled || state.triedOcr === ocr.id;
}

async function parseRange(
  bucket: R2Bucket,
  request: ParseRequest,
  document: OpenDocument & { kind: FileKind },
  range: PageRange,
  wanted: ReadonlySet<number>,
  progress: () => Promise<void>,
): Promise<StoredPage[]> {
  const { ocr, plan } = request;
  const limits = { ...LIMITS, ...request.limits };
  const pages: Page[] = [];
  const failures: unknown[] = [];
  const time = new TimeLimit(`Reading pages ${range.from + 1} to ${range.to}`, limits.rangeMs);
  for (let index = range.from; index < range.to; index += 1) {
    if (!wanted.has(index)) continue;
    try {
      const onPage = new TimeLimit(`Page ${index + 1}`, limits.pageMs);
      const page = await document.readPage(index, () => onPage.yieldAndCheck());
      const isScan = ocr && wantsOcr(page, plan.ocr);
      const isChecked = ocr && wantsCrossCheck(page, plan.ocr);
      const read = isScan
        ? await readScannedPage(document, page, excludeOcrTime(ocr, time), plan.ocr, plan.tables)
        : isChecked
          ? await crossCheckPage(document, page, excludeOcrTime(ocr, time), plan.ocr)
          : page;
      if (plan.pages.strict.ocr && wantsOcr(read, plan.ocr)) throw createUnreadError(index);
      pages.push(read);
      if (isScan || isChecked || page.figures.length > 0) await yieldToEventLoop(progress);
    } catch (error) {
      if (!(error instanceof ParseError) || error instanceof StrictModeError) throw error;
      failures.push(error);
      pages.push(createFailedPage(index, error, plan.pages.failedPage));
    }
    if ((index + 1) % PAGES_BETWEEN_YIELDS === 0) await yieldToEventLoop(progress);
    time.check();
    // The timeout is checked outside the try block, so that it is not treated as a failure of this page.
    checkTimeout(request, document.pageCount);
  }
  const tolerated =
    plan.pages.errorTolerance === undefined
      ? Math.max(DEFAULT_ERROR_TOLERANCE * pages.length, pages.length > 1 ? 1 : 0)
      : plan.pages.errorTolerance * pages.length;
  if (failures.length > tolerated) throw failures[0];
  for (const [at, page] of pages.entries()) {
    pages[at] = await storePictures(bucket, request, document, page, plan.images);
    await progress();
    checkTimeout(request, document.pageCount);
  }
  if (document.unlocked) await storeUnlocked(bucket, request, document, range, pages, plan.images, progress);
  const framed = pages.map((page) =>
    addMemberHeading(
      linkFigures(frameRunningLines(splitLongTables(page, plan.tables), plan.output), plan.images),
    ),
  );
  const { kind, pageCount, metadata } = document;
  const summary = pageCount <= RANGE_PAGES ? { kind, pageCount, metadata } : undefined;
  return writePages(bucket, request, range, framed, { triedOcr: ocr?.id, run: request.run }, summary);
}

/** Returns the OCR engine in a form that excludes its working time from a time limit. */
function excludeOcrTime(ocr: Ocr, time: TimeLimit): Ocr {
  return { ...ocr, recognise: (...args) => time.excludeTime(() => ocr.recognise(...args)) };
}

function createUnreadError(index: number): StrictModeError {
  const message = `page ${index + 1} shows content that could not be read`;
  return StrictModeError.forParameter('strict_mode_image_ocr', 'NEEDS_OCR', message);
}

/** Creates the page that replaces an unreadable page, according to `replace_failed_page_mode`. */
function createFailedPage(index: number, error: ParseError, instead: PagesPlan['failedPage']): Page {
  const shown = instead.mode === 'error_message';
  const text = shown ? `${instead.prefix}${error.message}${instead.suffix}` : '';
  const blocks = shown ? [{ type: 'paragraph' as const, text, markdown: text }] : [];
  const base = {
    index,
    label: String(index + 1),
    width: 612,
    height: 792,
    words: [],
    links: [],
    figures: [],
  };
  return { ...base, text, markdown: text, blocks, error: error.message };
}

function overlaps(range: PageRange, wanted: ReadonlySet<number>): boolean {
  for (let index = range.from; index < range.to; index += 1) if (wanted.has(index)) return true;
  return false;
}

export function disposable<Document extends OpenDocument>(document: Document): Document & Disposable {
  return Object.assign(document, { [Symbol.dispose]: () => document.close() });
}
