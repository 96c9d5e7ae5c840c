import type { Context } from '#src/context.ts';
import { messageOf } from '#src/errors.ts';
import { nameOf } from '#src/models/language/language-model.ts';
import type { Page } from '#src/parsing/document.ts';
import { type PageRange, RANGE_PAGES } from '#src/parsing/page-selection.ts';
import { readRange, readRangeWithWords, writePages } from '#src/parsing/page-store.ts';
import type { FileRequest } from '#src/parsing/service.ts';
import { isOfPage, replacementFor, toleratedFailures } from '#src/reading/failed-pages.ts';
import { pagesAtOnce } from '#src/reading/pages-at-once.ts';
import { PageFailure } from '#src/reading/read-page.ts';
import { pageWith, READING_VERSION, type Reading, readWithModel } from '#src/reading/reading.ts';
import { triggerOf } from '#src/reading/triggers.ts';
import { keepReading, keptReadings } from './kept-readings.ts';
import { throwForGood } from './model.ts';
import { drawMissing, pictureOf } from './pictures.ts';
import { INCOMPLETE, type Reader } from './reader.ts';

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
  const { plan, parameters } = reader;
  const layout = { ...request, ...reader.layout };
  const pages = (await readRangeWithWords(bucket, layout, from)) ?? [];
  const reasons = new Map(pages.flatMap((page) => reasonToRead(page, reader)));
  const wanted = pages.filter(({ index }) => reasons.has(index));
  const kept = await keptReadings(bucket, reader, request, wanted);
  const unread = wanted.flatMap(({ index }) => (kept.has(index) ? [] : [index]));
  if (plan.sees) await drawMissing(ctx, request, unread, checkpoint);
  const around = plan.neighbours ? await textsAround(bucket, layout, pages, from) : undefined;

  const readNow = async (page: Page, signal: AbortSignal): Promise<Reading | undefined> => {
    const { index } = page;
    const picture = plan.sees ? await pictureOf(bucket, request, index) : undefined;
    const [before, after] = [around?.get(index - 1), around?.get(index + 1)];
    const timeoutMs = 1000 * ctx.settings.PAGE_READING_SECONDS;
    const reading = await readWithModel({ ...reader, page, picture, before, after, signal, timeoutMs });
    if (reading) await keepReading(bucket, reader, request, index, reading);
    return reading;
  };
  const tolerated = toleratedFailures(pages.length, parameters);
  const failures: unknown[] = [];
  const readPage = async (page: Page, signal: AbortSignal): Promise<Page> => {
    const reason = reasons.get(page.index);
    if (reason === undefined) return { ...page, readBy: byParser('auto_mode: no trigger applies.') };
    try {
      const reading = kept.get(page.index) ?? (await readNow(page, signal));
      if (!reading) return replacementFor(page, UNBORNE, parameters, byParser(UNBORNE));
      return pageWith(page, reading, byModel(reader, reason));
    } catch (error) {
      if (signal.aborted || !isOfPage(error)) return throwForGood(error);
      failures.push(error);
      if (failures.length > tolerated) throw error;
      const message = messageOf(error);
      return replacementFor(page, message, parameters, byParser(message));
    }
  };
  const read = await pagesAtOnce(pages, readPage, checkpoint);
  const isWhole = failures.every((error) => error instanceof PageFailure);
  const facts = { run: request.run, reader: isWhole ? reader.hash : reader.hash + INCOMPLETE };
  await writePages(bucket, request, { from, to }, read, facts);
}

/** Why the model reads the page, by its index; nothing of a page that it does not read. */
function reasonToRead(page: Page, { plan, parameters }: Reader): [index: number, reason: string][] {
  const reason = plan.isTriggered ? triggerOf(page, parameters) : `${plan.chosenBy} asks for it.`;
  return reason === undefined ? [] : [[page.index, reason]];
}

const byModel = ({ plan, model }: Reader, reason: string) => ({
  mode: plan.mode,
  model: nameOf(model),
  version: READING_VERSION,
  reason,
});

const byParser = (reason: string) => ({ mode: 'layout', model: null, version: READING_VERSION, reason });

/** What stands on these pages and on those next to them, as far as they are laid out, by index. */
async function textsAround(bucket: R2Bucket, layout: FileRequest, pages: readonly Page[], from: number) {
  const [before, after] = await Promise.all([
    readRange(bucket, layout, from - RANGE_PAGES),
    readRange(bucket, layout, from + RANGE_PAGES),
  ]);
  const near = [...(before ?? []).slice(-1), ...pages, ...(after ?? []).slice(0, 1)];
  return new Map(near.map(({ index, markdown }) => [index, markdown]));
}
