import type { LanguageModel } from 'ai';
import type { Box, Page, PageVerification, ReadBy } from '#src/documents/document.ts';
import { readMarkdown } from '#src/documents/markdown/read.ts';
import { newFence } from '#src/lib/text/fence.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { faultsOf } from './faults.ts';
import { takeMarks } from './layout-told.ts';
import { type PagePart, picturesOf } from './pictures/areas.ts';
import { placeOnPage } from './pictures/place-on-page.ts';
import { pictureInstructions } from './pictures/prompt.ts';
import { type PicturesReading, readPictures } from './pictures/read-pictures.ts';
import { type PlacedPart, type WithPictures, writePictures } from './pictures/write-pictures.ts';
import type { Plan } from './plan/plan.ts';
import { type Prompt, type PromptInput, promptFor, repairPromptFor } from './prompt.ts';
import { askForPage, PageFailure, type PagePicture } from './read-page.ts';
import { truthOf } from './truth.ts';
import { type Verification, verifyPage } from './verify/index.ts';

/** Version of the prompts and of the processing of answers. If it changes, pages are read again. */
export const READING_VERSION = '2026-11-23.1';

/** A model's text of a page. */
export interface Reading {
  markdown: string;
  verification?: PageVerification | undefined;
  /** Known positions of parts of the text. */
  places?: PlacedPart[];
  /** Reasons why pictures were left out. */
  left?: string[];
}

export interface ReadingRequest {
  model: LanguageModel;
  plan: Plan;
  parse: ParsePlan;
  /** The page in the parser's layout, with its words. */
  page: Page;
  picture?: PagePicture | undefined;
  /** Part of the page in the picture; absent for the whole page. */
  seen?: Box | undefined;
  /** Pictures of the page to read individually. */
  pictures?: readonly { part: PagePart; picture: PagePicture | undefined }[] | undefined;
  before?: string | undefined;
  after?: string | undefined;
  signal: AbortSignal;
  /** Time limit of an answer in milliseconds. */
  timeoutMs: number;
}

/** Confidence below which correcting plans ask again. They also do if a part is questioned. */
const SURE = 0.9;
/** Confidence below which the page is read again. If the second answer is below it too, it is not used. */
const LEAST = 0.5;

/**
 * Reads a page with a model, a second time if the page does not support the first answer, and in correcting
 * plans. Returns undefined if it supports neither. Rejects like `askForPage`.
 */
export async function readWithModel(request: ReadingRequest): Promise<Reading | undefined> {
  const { model, plan, parse, page, picture, seen, before, after, signal, timeoutMs } = request;
  const { pictures = [] } = request;
  const ofPictures = plan.sees ? pictureInstructions(parse.model.pictures, page) : undefined;
  const input: PromptInput = { plan, parse, page, before, after, ofPictures, seen, fence: newFence() };
  const read = await readPictures({ model, parse, page, pictures, signal, timeoutMs });
  const ask = async (prompt: Prompt) =>
    answerOf(await askForPage({ model, prompt, picture, signal, timeoutMs }), request, read);
  const first = await ask(promptFor(input));
  const again = () =>
    ask(plan.repairs ? repairPromptFor(input, first.own, faultsOf(first.verified)) : promptFor(input));
  const second = isDone(first.verified, plan) ? undefined : await again();
  const best = second && confidenceOf(second) >= confidenceOf(first) ? second : first;
  if (best.own === '' && page.text.trim() !== '')
    throw new PageFailure('engine_error: The model wrote nothing of a page that has text.');
  if (confidenceOf(best) < LEAST) return undefined;
  const { markdown, parts, places } = best.written;
  return {
    markdown,
    ...(best.verified && { verification: kept(best.verified, best.written) }),
    places: [...parts, ...chartsWithPage(best, request), ...places].flatMap(({ start, end, box }) =>
      box ? [{ start, end, box }] : [],
    ),
    left: read.left.map(({ why }) => why),
  };
}

interface Answer {
  /** The model's text without block marks. */
  own: string;
  /** The text with the results of pictures. */
  written: WithPictures;
  /** Undefined if the page has no text of its own for comparison. */
  verified: Verification | undefined;
}

function answerOf(
  answer: string,
  { page, plan, parse }: ReadingRequest,
  { read, left }: PicturesReading,
): Answer {
  const own = parse.model.layoutAware ? takeMarks(answer, page) : { markdown: answer, places: [] };
  const written = writePictures(own.markdown, page, read, own.places);
  const areas =
    plan.sees && parse.model.pictures.charts ? picturesOf(page).flatMap(({ box }) => box ?? []) : [];
  const tables = written.parts
    .filter(({ kind }) => kind === 'chart')
    .map(({ start, end, box }) => ({ start, end, ...(box && { area: box }) }));
  const unread = left.flatMap(({ box }) => box ?? []);
  const verification = verifyPage(written.markdown, truthOf(page), { pictures: { areas, tables, unread } });
  return { own: own.markdown, written, verified: verification.known ? verification : undefined };
}

/**
 * Returns the tables that the model read from charts together with the page, if their number matches that of
 * the charts.
 */
function chartsWithPage({ written, verified }: Answer, { page, parse }: ReadingRequest): PlacedPart[] {
  if (parse.model.pictures.charts !== 'with the page' || !verified) return [];
  const { readFromPictures } = verified;
  const boxes = picturesOf(page).flatMap(({ box }) => box ?? []);
  const tables = [...readMarkdown(written.markdown, {})].filter(({ start, end }) =>
    readFromPictures.some((span) => start <= span.start && span.end <= end),
  );
  return tables.length === boxes.length
    ? tables.map(({ start, end }, at) => ({ start, end, box: boxes[at]! }))
    : [];
}

/** Parts that the page neither confirms nor contradicts are read twice by correcting plans. */
function isDone(verification: Verification | undefined, { repairs }: Plan): boolean {
  if (!verification) return !repairs;
  const { confidence, unsupported, misplaced } = verification;
  if (!repairs) return confidence >= LEAST;
  return confidence >= SURE && unsupported.length === 0 && misplaced.length === 0;
}

/** Returns what is stored with the page: ranges and counts, without text. */
function kept(verification: Verification, { parts }: WithPictures): PageVerification {
  const { confidence, unsupported, misplaced, readFromPictures, missing } = verification;
  const { samples: _, ...counts } = missing;
  const described = parts.filter(({ kind }) => kind === 'description');
  return {
    confidence,
    unsupported: unsupported.map(({ start, end, kind }) => ({ start, end, kind })),
    misplaced: misplaced.map(({ start, end, kind, printed }) => ({ start, end, kind, printed })),
    readFromPictures: [...readFromPictures, ...described]
      .map(({ start, end, kind }) => ({ start, end, kind }))
      .sort((a, b) => a.start - b.start),
    missing: counts,
  };
}

const confidenceOf = ({ verified }: Answer) => verified?.confidence ?? 1;

/** Returns the page with the model's text. Words, links and figures stay those of the parser. */
export function pageWith(page: Page, reading: Reading, readBy: ReadBy): Page {
  const { markdown, verification, places = [], left = [] } = reading;
  const { needsOcr: _, ...rest } = page;
  const blocks = placeOnPage(markdown, page, places);
  const text = blocks
    .map((block) => block.text)
    .filter((each) => each !== '')
    .join('\n\n');
  const reason = [readBy.reason, ...left].join(' ');
  return {
    ...rest,
    text,
    markdown,
    blocks,
    readBy: { ...readBy, reason },
    ...(verification && { verification }),
  };
}
