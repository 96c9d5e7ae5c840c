import type { Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import { type PageRange, RANGE_PAGES, rangesOf } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import {
  rangeState,
  readSummary,
  type StoredPage,
  writePages,
  writeSummary,
} from '#src/documents/page-store.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { openDocument } from '#src/formats/registry.ts';
import { headMember } from '#src/formats/shared/members/heading.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { breathe } from '#src/lib/async/breathe.ts';
import type { PagesPlan } from '#src/parse/plan.ts';
import type { ParseResult, ParserRequest } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { refuseLate } from './asked-time.ts';
import { crossChecked, wantsCrossCheck } from './cross-check.ts';
import { estimateDecodedBytes } from './decoded-size.ts';
import { linkFigures } from './figure-links.ts';
import { frameRunningLines } from './frame-running-lines.ts';
import { splitLongTables } from './long-tables.ts';
import { storePictures, storeUnlocked } from './page-pictures.ts';
import { readScannedPage, wantsOcr } from './scanned-page.ts';

/** A file in the bucket that is about to be opened. */
export interface OpenRequest extends ParserRequest {
  /** Waits until there is memory for so many bytes, which the file takes when it is decoded; nothing waits if absent. */
  admit?: ((bytes: number) => Promise<void>) | undefined;
}

export interface ParseRequest extends OpenRequest {
  /** Reads pages that have no text layer; without it they stay marked. */
  ocr?: Ocr | undefined;
  /** How long the parser may work on a page and on a range, waiting for the engine not counted; as below if absent. */
  limits?: Partial<Limits> | undefined;
}

export interface Limits {
  pageMs: number;
  rangeMs: number;
  /** After so long no further range is begun while the document is open: others get their turn. */
  openMs: number;
}

export const LIMITS: Limits = { pageMs: 30_000, rangeMs: 240_000, openMs: 5_000 };

/** Whole files are held in memory while they are read; above this the isolate's 128 MB are at risk. */
const MAX_PARSE_BYTES = 64 * 1024 * 1024;

/** Files of more pages are parsed as separate ranges by separate messages. */
const MAX_INLINE_PAGES = 2 * RANGE_PAGES;

const MAX_PAGES = 20_000;

/** A page takes milliseconds, at worst seconds, and a pause as long as a plain page. */
const PAGES_AT_A_STRETCH = 4;

/** The share of pages that may be unreadable before the file counts as failed. */
const DEFAULT_ERROR_TOLERANCE = 0.05;

export async function openStored(
  bucket: R2Bucket,
  request: OpenRequest,
): Promise<OpenDocument & { kind: FileKind }> {
  if (request.size === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file is empty.');
  if (request.size > MAX_PARSE_BYTES) {
    const limit = MAX_PARSE_BYTES / 1024 / 1024;
    throw new ParseError('DOCUMENT_TOO_LARGE', `Files above ${limit} MiB cannot be parsed in this runtime.`);
  }
  const object = await bucket.get(request.storageKey);
  if (!object) throw new Error(`the bytes of ${request.name} are not in the bucket`);
  const bytes = new Uint8Array(await object.arrayBuffer());
  await request.admit?.(estimateDecodedBytes(bytes));
  return openDocument({ bytes, name: request.name, plan: request.plan });
}

/**
 * Parses what has not been parsed yet. A large document answers with the ranges that are still to be parsed
 * by `parseRanges`; called again after those, it finds them all.
 */
export async function parseFile(
  bucket: R2Bucket,
  request: ParseRequest,
  progress: () => Promise<void>,
): Promise<ParseResult> {
  const known = await wholeParse(bucket, request);
  if (known) return { parsed: known, missing: [], cached: true };
  using document = disposable(await openStored(bucket, request));
  const { kind, pageCount, metadata } = document;
  refuseTooMany(pageCount, request.plan.pages);
  const wanted = wantedPages(pageCount, request.plan.pages);
  const ranges = rangesOf(pageCount).filter((range) => overlaps(range, wanted));
  // Of a single range the missing summary has told already.
  const missing = ranges.length === 1 ? ranges : await unparsed(bucket, request, ranges);
  const parsed = { kind, pageCount, metadata };
  if (pageCount > MAX_INLINE_PAGES && missing.length > 0) return { parsed, missing, cached: false };
  const fresh: StoredPage[] = [];
  for (const range of missing) {
    for (const each of await parseInto(bucket, request, document, range, wanted, progress)) fresh.push(each);
    await progress();
  }
  await writeSummary(bucket, request, parsed);
  const isFresh = missing.length === ranges.length;
  return { parsed, pages: isFresh ? fresh : undefined, missing: [], cached: false };
}

/** Rejects a document with more pages than the parser or the plan allows. */
function refuseTooMany(pageCount: number, { mostAllowed = Number.POSITIVE_INFINITY }: PagesPlan): void {
  if (pageCount <= Math.min(mostAllowed, MAX_PAGES)) return;
  const limit =
    mostAllowed < MAX_PAGES ? `max_pages_enforced allows ${mostAllowed}` : `the limit is ${MAX_PAGES}`;
  throw new ParseError('TOO_MANY_PAGES', `The document has ${pageCount} pages; ${limit}.`);
}

/** What an earlier parse of equal bytes left, when nothing of it is to be done again. */
async function wholeParse(bucket: R2Bucket, request: ParseRequest): Promise<ParsedFile | undefined> {
  const parsed = await readSummary(bucket, request);
  if (!parsed) return undefined;
  const wanted = wantedPages(parsed.pageCount, request.plan.pages);
  const ranges = rangesOf(parsed.pageCount).filter((range) => overlaps(range, wanted));
  const missing = await unparsed(bucket, request, ranges);
  return missing.length === 0 ? parsed : undefined;
}

async function unparsed(bucket: R2Bucket, request: ParseRequest, ranges: PageRange[]): Promise<PageRange[]> {
  const states = await Promise.all(ranges.map((range) => isParsed(bucket, request, range)));
  return ranges.filter((_, at) => !states[at]);
}

/**
 * Parses ranges of a large document one after the other, at least one, and answers with those that its time was too
 * short for: to open it costs as much as many of its ranges when its pages have little on them.
 */
export async function parseRanges(
  bucket: R2Bucket,
  request: ParseRequest,
  ranges: PageRange[],
  progress: () => Promise<void>,
): Promise<PageRange[]> {
  const missing = await unparsed(bucket, request, ranges);
  if (missing.length === 0) return [];
  const { openMs } = { ...LIMITS, ...request.limits };
  const begun = Date.now();
  using document = disposable(await openStored(bucket, request));
  const wanted = wantedPages(document.pageCount, request.plan.pages);
  for (const [at, range] of missing.entries()) {
    if (at > 0 && Date.now() - begun >= openMs) return missing.slice(at);
    await parseInto(bucket, request, document, range, wanted, progress);
    await progress();
  }
  return [];
}

/** A range with unread pages is parsed again once there is an engine that has not been asked to read them. */
async function isParsed(bucket: R2Bucket, request: ParseRequest, { from }: PageRange): Promise<boolean> {
  const state = await rangeState(bucket, request, from);
  if (!state) return false;
  const { ocr, plan, run = '' } = request;
  if (!plan.job.reuseEarlier && state.run !== run) return false;
  return state.unread === 0 || !ocr || !plan.ocr.enabled || state.triedOcr === ocr.id;
}

async function parseInto(
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
      const page = await document.readPage(index, () => onPage.turn());
      const isScan = ocr && wantsOcr(page, plan.ocr);
      const isChecked = ocr && wantsCrossCheck(page, plan.ocr);
      const read = isScan
        ? await readScannedPage(document, page, uncounted(ocr, time), plan.ocr)
        : isChecked
          ? await crossChecked(document, page, uncounted(ocr, time), plan.ocr)
          : page;
      if (plan.pages.strict.ocr && wantsOcr(read, plan.ocr)) throw stillUnread(index);
      pages.push(read);
      if (isScan || isChecked || page.figures.length > 0) await breathe(progress);
    } catch (error) {
      if (!(error instanceof ParseError) || error instanceof StrictModeError) throw error;
      failures.push(error);
      pages.push(failedPage(index, error, plan.pages.failedPage));
    }
    if ((index + 1) % PAGES_AT_A_STRETCH === 0) await breathe(progress);
    time.check();
    // Not as what is wrong with this page, which the others would make up for.
    refuseLate(request, document.pageCount);
  }
  const tolerated =
    plan.pages.errorTolerance === undefined
      ? Math.max(DEFAULT_ERROR_TOLERANCE * pages.length, pages.length > 1 ? 1 : 0)
      : plan.pages.errorTolerance * pages.length;
  if (failures.length > tolerated) throw failures[0];
  for (const [at, page] of pages.entries()) {
    pages[at] = await storePictures(bucket, request, document, page, plan.images);
    await progress();
    refuseLate(request, document.pageCount);
  }
  if (document.unlocked) await storeUnlocked(bucket, request, document, range, pages, plan.images, progress);
  const framed = pages.map((page) =>
    headMember(linkFigures(frameRunningLines(splitLongTables(page, plan.tables), plan.output), plan.images)),
  );
  return writePages(bucket, request, range, framed, { triedOcr: ocr?.id, run: request.run });
}

/** Reads as the engine does, on nobody's time. */
function uncounted(ocr: Ocr, time: TimeLimit): Ocr {
  return { ...ocr, recognise: (...asked) => time.uncounted(() => ocr.recognise(...asked)) };
}

function stillUnread(index: number): StrictModeError {
  const message = `page ${index + 1} shows something that could not be read`;
  return StrictModeError.because('strict_mode_image_ocr', 'NEEDS_OCR', message);
}

/** What stands in for a page that cannot be read, as `replace_failed_page_mode` asks. */
function failedPage(index: number, error: ParseError, instead: PagesPlan['failedPage']): Page {
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
