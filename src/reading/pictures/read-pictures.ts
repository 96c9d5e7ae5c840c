import type { LanguageModel } from 'ai';
import type { Box, Page } from '#src/documents/document.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { renderTable, type TableOptions } from '#src/documents/markdown/render-table.ts';
import { newFence } from '#src/lib/text/fence.ts';
import type { PicturesPlan } from '#src/parse/model-plan.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { NO_FAULTS, toFaults } from '../faults.ts';
import { toPageTruth } from '../page-truth.ts';
import type { Faults } from '../prompt.ts';
import { generateMarkdown, PageFailure, type PagePicture } from '../read-page.ts';
import { verifyPage } from '../verify/index.ts';
import { buildPicturePrompt } from './prompt.ts';
import type { PictureRegion } from './regions.ts';

/**
 * Markdown that a model wrote for one picture: either the table of a chart, or an image link with a
 * description.
 */
export interface PictureText {
  part: PictureRegion;
  kind: 'chart' | 'description';
  markdown: string;
}

export interface PictureResults {
  read: PictureText[];
  skipped: { reason: string; box: Box | undefined }[];
}

export interface PicturesRequest {
  model: LanguageModel;
  parse: ParsePlan;
  page: Page;
  /** Pictures that the model reads. `picture` is undefined if the image is not available. */
  pictures: readonly { part: PictureRegion; picture: PagePicture | undefined }[];
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Reads the pictures of a page one after the other. Skips a picture, with a reason, if the model cannot read
 * it or answers wrongly twice.
 */
export async function readPictures(request: PicturesRequest): Promise<PictureResults> {
  const reading: PictureResults = { read: [], skipped: [] };
  for (const [at, { part, picture }] of request.pictures.entries()) {
    const name = part.name ?? `drawing ${at + 1}`;
    const skip = (reason: string) =>
      reading.skipped.push({ reason: `Picture '${name}' was skipped: ${reason}`, box: part.box });
    if (!picture) {
      skip('its image is not available.');
      continue;
    }
    try {
      const read = await readPicture(request, part, picture);
      if (typeof read === 'string') skip(read);
      else if (read) reading.read.push(read);
    } catch (error) {
      if (!(error instanceof PageFailure)) throw error;
      skip(error.message);
    }
  }
  return reading;
}

/**
 * Asks the model to read one picture. Returns `undefined` if the picture contains nothing to read. Returns
 * the reason as a string if the answer is not credible.
 */
async function readPicture(
  { model, parse, page, signal, timeoutMs }: PicturesRequest,
  part: PictureRegion,
  picture: PagePicture,
): Promise<PictureText | string | undefined> {
  const picturesPlan = parse.model.pictures;
  const ask = (earlier?: { answer: string; faults: Faults }) => {
    const prompt = buildPicturePrompt(picturesPlan, parse.ocr.languages, newFence(), earlier);
    return generateMarkdown({ model, prompt, picture, signal, timeoutMs });
  };
  const first = extractTable(await ask(), picturesPlan, parse.tables);
  if (!first.table) return parseDescription(part, first.answer, picturesPlan);
  const faults = findTableFaults(first.table, page, part);
  const needsSecondAnswer = picturesPlan.charts === 'alone and repaired' || faults !== undefined;
  if (!needsSecondAnswer) return { part, kind: 'chart', markdown: first.table };
  const second = extractTable(
    await ask({ answer: first.table, faults: faults ?? NO_FAULTS }),
    picturesPlan,
    parse.tables,
  );
  const best = [second.table, first.table].find((table) => table && !findTableFaults(table, page, part));
  if (best) return { part, kind: 'chart', markdown: best };
  return 'its table contradicts the labels that are printed in the picture.';
}

/**
 * Maximum number of cells of a table (rows times columns). Short rows are padded to full width, so even a
 * short answer could otherwise produce millions of cells.
 */
const MAX_CELLS = 20_000;

/**
 * Returns the tables of a model's answer in the requested output format. Throws `PageFailure` if a table has
 * too many cells.
 */
function extractTable(answer: string, { charts }: PicturesPlan, options: TableOptions) {
  if (charts === undefined || charts === 'with the page') return { answer, table: undefined };
  const tables = splitMarkdown(answer)
    .filter(({ type }) => type === 'table')
    .map((block) => {
      const rows = blockRows(block);
      const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
      if (rows.length * columns > MAX_CELLS) throw new PageFailure('its table has too many cells.');
      return renderTable(rows, options);
    });
  return { answer, table: tables.length > 0 ? tables.join('\n\n') : undefined };
}

/**
 * Compares a table that the model read from a chart with the labels printed in the chart. Returns `undefined`
 * if no label contradicts the table.
 */
function findTableFaults(table: string, page: Page, { box }: PictureRegion): Faults | undefined {
  if (!box) return undefined;
  const pictures = { areas: [box], tables: [{ start: 0, end: table.length, area: box }] };
  const verification = verifyPage(table, toPageTruth(page), { pictures });
  return verification.unsupported.length > 0 ? toFaults(verification) : undefined;
}

const MAX_DESCRIPTION_CHARACTERS = 2_000;

/**
 * Returns an image link whose alternative text is the model's description. Returns `undefined` if no
 * description was requested or the answer contains none.
 */
function parseDescription(
  part: PictureRegion,
  answer: string,
  { descriptions }: PicturesPlan,
): PictureText | undefined {
  if (!descriptions) return undefined;
  const readLine = (mark: string) => {
    const at = answer.indexOf(mark);
    return at < 0 ? '' : answer.slice(at + mark.length).split(/\n(?:PICTURE|TEXT):/)[0]!;
  };
  const plain = (text: string) =>
    text
      .slice(0, MAX_DESCRIPTION_CHARACTERS)
      .replace(/[\\[\]`<>*_!]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  const [shows, text] = [plain(readLine('PICTURE:')), plain(readLine('TEXT:'))];
  if (shows === '' && text === '') return undefined;
  const alternative = [shows, text && `Text: ${text}`].filter((each) => each !== '').join(' ');
  return { part, kind: 'description', markdown: `![${alternative}](${part.link ?? ''})` };
}
