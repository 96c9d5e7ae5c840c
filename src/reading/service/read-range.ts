import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { Page, ReadBy } from '#src/documents/document.ts';
import { type PageRange, RANGE_PAGES } from '#src/documents/page-selection.ts';
import { readRange, readRangeWithWords, writePages } from '#src/documents/page-store.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { messageOf, RateLimited, Upstream } from '#src/lib/errors.ts';
import type { PagesPlan } from '#src/parse/plan.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { pagesAtOnce } from '#src/reading/pages-at-once.ts';
import { picturesOf } from '#src/reading/pictures/areas.ts';
import { looksAtEach } from '#src/reading/pictures/asked.ts';
import { choiceFor } from '#src/reading/plan/ways.ts';
import { PageFailure } from '#src/reading/read-page.ts';
import { pageWith, READING_VERSION, type Reading, readWithModel } from '#src/reading/reading.ts';
import { throwForGood, throwNamingKey } from './model.ts';
import { drawMissing, pageSeen } from './pictures.ts';
import { INCOMPLETE, isUsable, type Reader, type ReadingWay } from './reader.ts';

/** A page for a model, and how to read it. */
interface WantedPage {
  page: Page;
  way: ReadingWay;
  reason: string;
}

const keyOf = ({ pageHash }: ReadingWay, { projectId, contentHash }: FileRequest, index: number) =>
  keys.pageReading(projectId, contentHash, pageHash, index);

/** Default share of pages that may fail; one page always may. */
const TOLERANCE = 0.05;

/**
 * Returns whether the error concerns a single page. Errors of the endpoint end the work at once, and a rate
 * limit (429) is no failure.
 */
const isOfPage = (error: unknown): error is PageFailure | Upstream =>
  error instanceof PageFailure || (error instanceof Upstream && error.retryable && error.status !== 429);

const UNBORNE = 'The page does not bear out what the model wrote.';

/** Reads the pages of a range that the parser has laid out, and keeps them. */
export async function readInto(
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
  const choices = new Map(pages.map((page) => [page.index, choose(page, request.name, reader)]));
  const wanted = pages.flatMap((page) => {
    const { way, reason } = choices.get(page.index)!;
    return way ? [{ page, way, reason }] : [];
  });
  const kept = await keptReadings(bucket, request, wanted);
  const seen = wanted.filter(({ page, way }) => way.plan.sees && !kept.has(page.index));
  const drawn = seen.map(({ page }) => page.index);
  if (drawn.length > 0) await drawMissing(ctx, request, drawn, checkpoint);
  const looksAround = wanted.some(({ way }) => way.plan.neighbours);
  const around = looksAround ? await textsAround(bucket, layout, pages, from) : undefined;

  // Pictures are cut one after the other, because they take much memory.
  const inTurn = oneByOne();
  const readNow = async (page: Page, way: ReadingWay, signal: AbortSignal): Promise<Reading | undefined> => {
    const { index } = page;
    const { plan, model, parse } = way;
    const parts = looksAtEach(parse.model.pictures) ? picturesOf(page) : [];
    const shown = plan.sees ? await inTurn(() => pageSeen(ctx, request, page, parts)) : undefined;
    const near = plan.neighbours ? around : undefined;
    const [before, after] = [near?.get(index - 1), near?.get(index + 1)];
    const timeoutMs = 1000 * ctx.settings.PAGE_READING_SECONDS;
    const asked = { plan, model: model!, parse };
    const reading = await readWithModel({ ...asked, page, ...shown, before, after, signal, timeoutMs });
    if (reading) await keepReading(bucket, way, request, index, reading);
    return reading;
  };
  const tolerated = toleratedFailures(pages.length, pagesPlan);
  const failures: unknown[] = [];
  const readPage = async (page: Page, signal: AbortSignal): Promise<Page> => {
    const { way, reason, mode } = choices.get(page.index)!;
    if (!way) return { ...page, readBy: byParser(reason, mode) };
    try {
      const reading = kept.get(page.index) ?? (await readNow(page, way, signal));
      if (!reading) return replacementFor(page, UNBORNE, pagesPlan.failedPage, byParser(UNBORNE));
      return pageWith(page, reading, byModel(way, reason));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isOfPage(error))
        return error instanceof RateLimited ? throwForGood(error) : throwNamingKey(error, way);
      failures.push(error);
      if (failures.length > tolerated) throw error;
      const message = messageOf(error);
      return replacementFor(page, message, pagesPlan.failedPage, byParser(message));
    }
  };
  const read = await pagesAtOnce(pages, readPage, checkpoint);
  const isWhole = failures.every((error) => error instanceof PageFailure);
  const facts = { run: request.run, reader: isWhole ? reader.hash : reader.hash + INCOMPLETE };
  await writePages(bucket, request, { from, to }, read, facts);
}

interface Chosen {
  /** Undefined keeps the parser's layout. */
  way: ReadingWay | undefined;
  reason: string;
  /** Mode of a page that stays with the parser. */
  mode: string;
}

function choose(page: Page, fileName: string, { ways, base, ofRules }: Reader): Chosen {
  const { rule, isOfModel, reason } = choiceFor(page, fileName, ways);
  const way = rule === undefined ? base : ofRules[rule]!;
  const { mode } = base.plan;
  const stays = { way: undefined, mode: mode === 'text' ? mode : 'layout' };
  if (!isOfModel) return { ...stays, reason };
  if (!way.model) return { ...stays, reason: `${reason} No language model is configured for parsing.` };
  return { way, reason, mode };
}

const byModel = ({ plan, model }: ReadingWay, reason: string) => ({
  mode: plan.mode,
  model: nameOf(model!),
  version: READING_VERSION,
  reason,
});

const byParser = (reason: string, mode = 'layout') => ({
  ...{ mode, model: null, version: READING_VERSION, reason },
});

/** Returns the text of these pages and their neighbours by index, as far as they are parsed. */
async function textsAround(bucket: R2Bucket, layout: FileRequest, pages: readonly Page[], from: number) {
  const [before, after] = await Promise.all([
    readRange(bucket, layout, from - RANGE_PAGES),
    readRange(bucket, layout, from + RANGE_PAGES),
  ]);
  const near = [...(before ?? []).slice(-1), ...pages, ...(after ?? []).slice(0, 1)];
  return new Map(near.map(({ index, markdown }) => [index, markdown]));
}

/** Returns a function that runs pieces of work one after the other, in the order of its calls. */
function oneByOne(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** Returns how many of `count` pages may fail before the parse fails. */
function toleratedFailures(count: number, { strict, errorTolerance: share }: PagesPlan): number {
  if (strict.model) return 0;
  return share === undefined ? Math.max(TOLERANCE * count, count > 1 ? 1 : 0) : share * count;
}

/**
 * Returns the replacement of a page that the model could not read, according to `replace_failed_page_mode`.
 */
function replacementFor(
  page: Page,
  message: string,
  { mode, prefix, suffix }: PagesPlan['failedPage'],
  readBy: ReadBy,
): Page {
  const said = (text: string): Page => {
    const blocks = text === '' ? [] : [{ type: 'paragraph' as const, text, markdown: text }];
    return { ...page, text, markdown: text, blocks, readBy };
  };
  switch (mode) {
    case 'blank_page':
      return said('');
    case 'error_message':
      return said(`${prefix}${message}${suffix}`);
    default:
      return { ...page, readBy };
  }
}

/** Returns stored readings of these pages by index, from an interrupted attempt or another selection. */
async function keptReadings(
  bucket: R2Bucket,
  request: FileRequest,
  wanted: readonly WantedPage[],
): Promise<Map<number, Reading>> {
  const found = await inParallel(wanted, async ({ page: { index }, way }) => {
    const object = await bucket.get(keyOf(way, request, index));
    if (!object || !isUsable(object.customMetadata?.run ?? '', request)) return [];
    return [[index, await object.json<Reading>()] as const];
  });
  return new Map(found.flat());
}

async function keepReading(
  bucket: R2Bucket,
  way: ReadingWay,
  request: FileRequest,
  index: number,
  reading: Reading,
): Promise<void> {
  const customMetadata = { run: request.run ?? '' };
  await bucket.put(keyOf(way, request, index), JSON.stringify(reading), { customMetadata });
}
