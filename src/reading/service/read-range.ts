import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { Page, ReadBy } from '#src/documents/document.ts';
import { type PageRange, RANGE_PAGES } from '#src/documents/page-selection.ts';
import { readRange, readRangeWithWords, writePages } from '#src/documents/page-store.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { getErrorMessage, RateLimited, Upstream } from '#src/lib/errors.ts';
import type { PagesPlan } from '#src/parse/plan.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { listPictures } from '#src/reading/pictures/regions.ts';
import { readsPicturesSeparately } from '#src/reading/pictures/separate-pictures.ts';
import { choosePagePlan } from '#src/reading/plan/page-plan.ts';
import { processConcurrently } from '#src/reading/process-concurrently.ts';
import { PageFailure } from '#src/reading/read-page.ts';
import { applyReading, READING_VERSION, type Reading, readWithModel } from '#src/reading/reading.ts';
import { rethrowAsPermanent, rethrowWithKeyField } from './model.ts';
import { drawMissingPages, loadPageImages } from './pictures.ts';
import { INCOMPLETE, isUsable, type PageReader, type Reader } from './reader.ts';

interface WantedPage {
  page: Page;
  pageReader: PageReader;
  reason: string;
}

const getReadingKey = ({ pageHash }: PageReader, { projectId, contentHash }: FileRequest, index: number) =>
  keys.pageReading(projectId, contentHash, pageHash, index);

/**
 * Default share of pages, from 0 to 1, that may fail in a page range. In a range with several pages, one page
 * may always fail.
 */
const DEFAULT_ERROR_TOLERANCE = 0.05;

/**
 * Returns whether an error concerns only a single page. Permanent errors of the model endpoint and rate
 * limits (HTTP 429) affect all pages.
 */
const isPageError = (error: unknown): error is PageFailure | Upstream =>
  error instanceof PageFailure || (error instanceof Upstream && error.retryable && error.status !== 429);

const UNSUPPORTED_ANSWER = 'The page does not support the text that the model wrote.';

export async function readAndStoreRange(
  ctx: Context,
  reader: Reader,
  request: FileRequest,
  { from, to }: PageRange,
  checkpoint: () => Promise<void>,
): Promise<void> {
  const { bucket } = ctx;
  const { pages: pagesPlan } = reader.base.parse;
  const layout = { ...request, ...reader.layout };
  const pages = (await readRangeWithWords(bucket, layout, from)) ?? [];
  const choices = new Map(pages.map((page) => [page.index, choosePageReader(page, request.name, reader)]));
  const wanted = pages.flatMap((page) => {
    const { pageReader, reason } = choices.get(page.index)!;
    return pageReader ? [{ page, pageReader, reason }] : [];
  });
  const stored = await loadStoredReadings(bucket, request, wanted);
  const viewed = wanted.filter(
    ({ page, pageReader }) => pageReader.readingPlan.usesVision && !stored.has(page.index),
  );
  const unreadIndexes = viewed.map(({ page }) => page.index);
  if (unreadIndexes.length > 0) await drawMissingPages(ctx, request, unreadIndexes, checkpoint);
  const needsNeighbours = wanted.some(({ pageReader }) => pageReader.readingPlan.usesNeighbours);
  const neighbourTexts = needsNeighbours ? await readNeighbourTexts(bucket, layout, pages, from) : undefined;

  // Pictures are cropped for only one page at a time, because cropping takes much memory.
  const enqueue = createQueue();
  const readNow = async (
    page: Page,
    pageReader: PageReader,
    signal: AbortSignal,
  ): Promise<Reading | undefined> => {
    const { index } = page;
    const { readingPlan: plan, model, parse } = pageReader;
    const parts = readsPicturesSeparately(parse.model.pictures) ? listPictures(page) : [];
    const shown = plan.usesVision
      ? await enqueue(() => loadPageImages(ctx, request, page, parts))
      : undefined;
    const texts = plan.usesNeighbours ? neighbourTexts : undefined;
    const [before, after] = [texts?.get(index - 1), texts?.get(index + 1)];
    const timeoutMs = 1000 * ctx.settings.PAGE_READING_SECONDS;
    const modelRequest = { plan, model: model!, parse, page, before, after, signal, timeoutMs };
    const reading = await readWithModel({ ...modelRequest, ...shown });
    if (reading) await storeReading(bucket, pageReader, request, index, reading);
    return reading;
  };
  const tolerated = countToleratedFailures(pages.length, pagesPlan);
  const failures: unknown[] = [];
  const replace = (page: Page, message: string) =>
    buildReplacementPage(page, message, pagesPlan.failedPage, toParserReadBy(message));
  const readPage = async (page: Page, signal: AbortSignal): Promise<Page> => {
    const { pageReader, reason, mode } = choices.get(page.index)!;
    if (!pageReader) return { ...page, readBy: toParserReadBy(reason, mode) };
    try {
      const reading = stored.get(page.index) ?? (await readNow(page, pageReader, signal));
      if (!reading) return replace(page, UNSUPPORTED_ANSWER);
      return applyReading(page, reading, toModelReadBy(pageReader, reason));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isPageError(error))
        return error instanceof RateLimited
          ? rethrowAsPermanent(error)
          : rethrowWithKeyField(error, pageReader);
      failures.push(error);
      if (failures.length > tolerated) throw error;
      return replace(page, getErrorMessage(error));
    }
  };
  const read = await processConcurrently(pages, readPage, checkpoint);
  const isWhole = failures.every((error) => error instanceof PageFailure);
  const facts = { run: request.run, reader: isWhole ? reader.hash : reader.hash + INCOMPLETE };
  await writePages(bucket, request, { from, to }, read, facts);
}

interface PageReaderChoice {
  /** Undefined if no language model reads the page and the parser's result is kept. */
  pageReader: PageReader | undefined;
  reason: string;
  /** Reading mode that the response reports if the page keeps the parser's result. */
  mode: string;
}

function choosePageReader(
  page: Page,
  fileName: string,
  { plans, base, ruleReaders }: Reader,
): PageReaderChoice {
  const { rule, usesModel, reason } = choosePagePlan(page, fileName, plans);
  const pageReader = rule === undefined ? base : ruleReaders[rule]!;
  const { mode } = base.readingPlan;
  const parserChoice = { pageReader: undefined, mode: mode === 'text' ? mode : 'layout' };
  if (!usesModel) return { ...parserChoice, reason };
  if (!pageReader.model)
    return { ...parserChoice, reason: `${reason} No language model is configured for parsing.` };
  return { pageReader, reason, mode };
}

const toModelReadBy = ({ readingPlan: plan, model }: PageReader, reason: string) => ({
  mode: plan.mode,
  model: getModelName(model!),
  version: READING_VERSION,
  reason,
});

const toParserReadBy = (reason: string, mode = 'layout') => ({
  ...{ mode, model: null, version: READING_VERSION, reason },
});

/**
 * Returns the Markdown of the given pages and of the pages next to them, by page index. Pages that are not
 * parsed yet are missing.
 */
async function readNeighbourTexts(
  bucket: R2Bucket,
  layout: FileRequest,
  pages: readonly Page[],
  from: number,
) {
  const [before, after] = await Promise.all([
    readRange(bucket, layout, from - RANGE_PAGES),
    readRange(bucket, layout, from + RANGE_PAGES),
  ]);
  const texts = [...(before ?? []).slice(-1), ...pages, ...(after ?? []).slice(0, 1)];
  return new Map(texts.map(({ index, markdown }) => [index, markdown]));
}

/**
 * Creates a queue. The returned function runs asynchronous tasks one after the other, in the order of the
 * calls.
 */
function createQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

function countToleratedFailures(count: number, { strict, errorTolerance: share }: PagesPlan): number {
  if (strict.model) return 0;
  return share === undefined ? Math.max(DEFAULT_ERROR_TOLERANCE * count, count > 1 ? 1 : 0) : share * count;
}

/**
 * Creates the replacement for a page that the model could not read. The parameter `replace_failed_page_mode`
 * determines its content.
 */
function buildReplacementPage(
  page: Page,
  message: string,
  { mode, prefix, suffix }: PagesPlan['failedPage'],
  readBy: ReadBy,
): Page {
  const withText = (text: string): Page => {
    const blocks = text === '' ? [] : [{ type: 'paragraph' as const, text, markdown: text }];
    return { ...page, text, markdown: text, blocks, readBy };
  };
  switch (mode) {
    case 'blank_page':
      return withText('');
    case 'error_message':
      return withText(`${prefix}${message}${suffix}`);
    default:
      return { ...page, readBy };
  }
}

/**
 * Returns the stored results of these pages, by page index. An interrupted attempt, or a parse with a
 * different page selection, has stored them.
 */
async function loadStoredReadings(
  bucket: R2Bucket,
  request: FileRequest,
  wanted: readonly WantedPage[],
): Promise<Map<number, Reading>> {
  const found = await inParallel(wanted, async ({ page: { index }, pageReader }) => {
    const object = await bucket.get(getReadingKey(pageReader, request, index));
    if (!object || !isUsable(object.customMetadata?.run ?? '', request)) return [];
    return [[index, await object.json<Reading>()] as const];
  });
  return new Map(found.flat());
}

async function storeReading(
  bucket: R2Bucket,
  pageReader: PageReader,
  request: FileRequest,
  index: number,
  reading: Reading,
): Promise<void> {
  const customMetadata = { run: request.run ?? '' };
  await bucket.put(getReadingKey(pageReader, request, index), JSON.stringify(reading), { customMetadata });
}
