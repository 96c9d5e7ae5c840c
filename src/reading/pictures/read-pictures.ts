import type { LanguageModel } from 'ai';
import type { Box, Page } from '#src/documents/document.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { markdownTable, type TableOptions } from '#src/documents/markdown/render-table.ts';
import { newFence } from '#src/lib/text/fence.ts';
import type { PicturesPlan } from '#src/parse/model-plan.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { faultsOf, NO_FAULTS } from '../faults.ts';
import type { Faults } from '../prompt.ts';
import { askForPage, PageFailure, type PagePicture } from '../read-page.ts';
import { truthOf } from '../truth.ts';
import { verifyPage } from '../verify/index.ts';
import type { PagePart } from './areas.ts';
import { picturePromptFor } from './prompt.ts';

/** Text read from one picture: Markdown of a chart's table, or the picture with its description. */
export interface PictureRead {
  part: PagePart;
  kind: 'chart' | 'description';
  markdown: string;
}

export interface PicturesReading {
  read: PictureRead[];
  /** Pictures left out, each with the reason and its box if it has one. */
  left: { why: string; box: Box | undefined }[];
}

export interface PicturesRequest {
  model: LanguageModel;
  parse: ParsePlan;
  page: Page;
  /** Pictures to read; undefined if a picture is not available. */
  pictures: readonly { part: PagePart; picture: PagePicture | undefined }[];
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Reads the pictures of a page one by one. Pictures that the model cannot read, or reads wrongly twice, are
 * left out with a reason.
 */
export async function readPictures(request: PicturesRequest): Promise<PicturesReading> {
  const reading: PicturesReading = { read: [], left: [] };
  for (const [at, { part, picture }] of request.pictures.entries()) {
    const name = part.name ?? `drawing ${at + 1}`;
    const leave = (why: string) => reading.left.push({ why: `${name} is left out: ${why}`, box: part.box });
    if (!picture) {
      leave('it cannot be shown to the model.');
      continue;
    }
    try {
      const read = await readPicture(request, part, picture);
      if (typeof read === 'string') leave(read);
      else if (read) reading.read.push(read);
    } catch (error) {
      if (!(error instanceof PageFailure)) throw error;
      leave(error.message);
    }
  }
  return reading;
}

/** Returns undefined if there is nothing to read, and a sentence if the answer is not credible. */
async function readPicture(
  { model, parse, page, signal, timeoutMs }: PicturesRequest,
  part: PagePart,
  picture: PagePicture,
): Promise<PictureRead | string | undefined> {
  const asked = parse.model.pictures;
  const ask = (earlier?: { answer: string; faults: Faults }) => {
    const prompt = picturePromptFor(asked, parse.ocr.languages, newFence(), earlier);
    return askForPage({ model, prompt, picture, signal, timeoutMs });
  };
  const first = tableIn(await ask(), asked, parse.tables);
  if (!first.table) return described(part, first.answer, asked);
  const faults = faultsIn(first.table, page, part);
  const isAgain = asked.charts === 'alone and repaired' || faults !== undefined;
  if (!isAgain) return { part, kind: 'chart', markdown: first.table };
  const second = tableIn(
    await ask({ answer: first.table, faults: faults ?? NO_FAULTS }),
    asked,
    parse.tables,
  );
  const best = [second.table, first.table].find((table) => table && !faultsIn(table, page, part));
  if (best) return { part, kind: 'chart', markdown: best };
  return 'its table has other values than the labels that are printed in it.';
}

/**
 * Maximum rows times columns. Short rows are padded, so a short answer could otherwise request millions of
 * cells.
 */
const MOST_CELLS = 20_000;

/** Returns the tables of an answer, written as the plan says. Throws PageFailure if a table has too many cells for a chart. */
function tableIn(answer: string, { charts }: PicturesPlan, options: TableOptions) {
  if (charts === undefined || charts === 'with the page') return { answer, table: undefined };
  const tables = splitMarkdown(answer)
    .filter(({ type }) => type === 'table')
    .map((block) => {
      const rows = blockRows(block);
      const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
      if (rows.length * columns > MOST_CELLS) throw new PageFailure('its table has too many cells.');
      return markdownTable(rows, options);
    });
  return { answer, table: tables.length > 0 ? tables.join('\n\n') : undefined };
}

/** Compares a chart's table with the labels printed inside the chart. */
function faultsIn(table: string, page: Page, { box }: PagePart): Faults | undefined {
  if (!box) return undefined;
  const pictures = { areas: [box], tables: [{ start: 0, end: table.length, area: box }] };
  const verification = verifyPage(table, truthOf(page), { pictures });
  return verification.unsupported.length > 0 ? faultsOf(verification) : undefined;
}

const LONGEST = 2_000;

/** Returns a picture with its description instead of its text. An answer in another form is ignored. */
function described(part: PagePart, answer: string, { descriptions }: PicturesPlan): PictureRead | undefined {
  if (!descriptions) return undefined;
  const said = (mark: string) => {
    const at = answer.indexOf(mark);
    return at < 0 ? '' : answer.slice(at + mark.length).split(/\n(?:PICTURE|TEXT):/)[0]!;
  };
  const plain = (text: string) =>
    text
      .slice(0, LONGEST)
      .replace(/[\\[\]`<>*_!]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  const [shows, text] = [plain(said('PICTURE:')), plain(said('TEXT:'))];
  if (shows === '' && text === '') return undefined;
  const alternative = [shows, text && `Text: ${text}`].filter((each) => each !== '').join(' ');
  return { part, kind: 'description', markdown: `![${alternative}](${part.link ?? ''})` };
}
