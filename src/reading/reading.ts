import type { LanguageModel } from 'ai';
import type { Box, Page, PageVerification, ReadBy } from '#src/documents/document.ts';
import { readMarkdown } from '#src/documents/markdown/read.ts';
import { newFence } from '#src/lib/text/fence.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { toFaults } from './faults.ts';
import { extractBlockMarks } from './layout-prompt.ts';
import { toPageTruth } from './page-truth.ts';
import { insertPictures, type MarkdownWithPictures, type PlacedPart } from './pictures/insert-pictures.ts';
import { placeMarkdown } from './pictures/place-on-page.ts';
import { buildPictureInstructions } from './pictures/prompt.ts';
import { type PictureResults, readPictures } from './pictures/read-pictures.ts';
import { listPictures, type PictureRegion } from './pictures/regions.ts';
import type { ReadingPlan } from './plan/plan.ts';
import { buildPagePrompt, buildRepairPrompt, type Prompt, type PromptInput } from './prompt.ts';
import { generateMarkdown, PageFailure, type PagePicture } from './read-page.ts';
import { type Verification, verifyPage } from './verify/index.ts';

/**
 * Version of the prompts and of the code that processes answers. When the version changes, stored pages are
 * read again.
 */
export const READING_VERSION = '2026-11-23.1';

/**
 * Markdown that a language model wrote for a page. It is stored as JSON, so the field names must not change.
 */
export interface Reading {
  markdown: string;
  verification?: PageVerification | undefined;
  /** Ranges of the Markdown whose boxes on the page are known. */
  places?: PlacedPart[];
  left?: string[];
}

export interface ReadingRequest {
  model: LanguageModel;
  plan: ReadingPlan;
  parse: ParsePlan;
  page: Page;
  picture?: PagePicture | undefined;
  /** Part of the page that the picture shows. Undefined if the picture shows the whole page. */
  visibleArea?: Box | undefined;
  /** Pictures of the page that the model reads in separate calls. */
  pictures?: readonly { part: PictureRegion; picture: PagePicture | undefined }[] | undefined;
  before?: string | undefined;
  after?: string | undefined;
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Confidence, from 0 to 1, below which a plan with corrections asks the model again. Such a plan also asks
 * again if a value is unsupported or misplaced.
 */
const CORRECTION_THRESHOLD = 0.9;
/**
 * Confidence, from 0 to 1, below which the model is always asked again. If the better of both answers is
 * still below this value, neither is used.
 */
const MIN_CONFIDENCE = 0.5;

/**
 * Reads a page with a language model. Asks a second time if the page does not support the first answer, or if
 * the plan corrects errors and the answer is doubtful. Returns `undefined` if the page supports neither
 * answer. Rejects with the same errors as `generateMarkdown`.
 */
export async function readWithModel(request: ReadingRequest): Promise<Reading | undefined> {
  const { model, plan, parse, page, picture, visibleArea, before, after, signal, timeoutMs } = request;
  const { pictures = [] } = request;
  const pictureRules = plan.usesVision ? buildPictureInstructions(parse.model.pictures, page) : undefined;
  const input: PromptInput = {
    plan,
    parse,
    page,
    before,
    after,
    pictureRules,
    visibleArea,
    fence: newFence(),
  };
  const read = await readPictures({ model, parse, page, pictures, signal, timeoutMs });
  const ask = async (prompt: Prompt) =>
    buildAnswer(await generateMarkdown({ model, prompt, picture, signal, timeoutMs }), request, read);
  const first = await ask(buildPagePrompt(input));
  const askAgain = () =>
    ask(
      plan.repairs ? buildRepairPrompt(input, first.own, toFaults(first.verified)) : buildPagePrompt(input),
    );
  const second = isAcceptable(first.verified, plan) ? undefined : await askAgain();
  const best = second && getConfidence(second) >= getConfidence(first) ? second : first;
  if (best.own === '' && page.text.trim() !== '')
    throw new PageFailure('engine_error: The model returned no text for a page that contains text.');
  if (getConfidence(best) < MIN_CONFIDENCE) return undefined;
  const { markdown, parts, places } = best.written;
  return {
    markdown,
    ...(best.verified && { verification: toPageVerification(best.verified, best.written) }),
    places: [...parts, ...locateChartTables(best, request), ...places].flatMap(({ start, end, box }) =>
      box ? [{ start, end, box }] : [],
    ),
    left: read.skipped.map(({ reason }) => reason),
  };
}

interface Answer {
  own: string;
  written: MarkdownWithPictures;
  /**
   * Comparison of the answer with the page. Undefined if the page has too little text to verify the answer.
   */
  verified: Verification | undefined;
}

function buildAnswer(
  answer: string,
  { page, plan, parse }: ReadingRequest,
  { read, skipped }: PictureResults,
): Answer {
  const own = parse.model.layoutAware ? extractBlockMarks(answer, page) : { markdown: answer, places: [] };
  const written = insertPictures(own.markdown, page, read, own.places);
  const areas =
    plan.usesVision && parse.model.pictures.charts ? listPictures(page).flatMap(({ box }) => box ?? []) : [];
  const tables = written.parts
    .filter(({ kind }) => kind === 'chart')
    .map(({ start, end, box }) => ({ start, end, ...(box && { area: box }) }));
  const unread = skipped.flatMap(({ box }) => box ?? []);
  const verification = verifyPage(written.markdown, toPageTruth(page), {
    pictures: { areas, tables, unread },
  });
  return { own: own.markdown, written, verified: verification.known ? verification : undefined };
}

/**
 * Returns the tables that the model read from charts, with the boxes of the charts. Returns an empty list
 * unless there are as many tables as pictures.
 */
function locateChartTables({ written, verified }: Answer, { page, parse }: ReadingRequest): PlacedPart[] {
  if (parse.model.pictures.charts !== 'with the page' || !verified) return [];
  const { readFromPictures } = verified;
  const boxes = listPictures(page).flatMap(({ box }) => box ?? []);
  const tables = [...readMarkdown(written.markdown, {})].filter(({ start, end }) =>
    readFromPictures.some((span) => start <= span.start && span.end <= end),
  );
  return tables.length === boxes.length
    ? tables.map(({ start, end }, at) => ({ start, end, box: boxes[at]! }))
    : [];
}

/**
 * Returns whether an answer can be used without asking again. An answer that cannot be verified is
 * acceptable, unless the plan corrects errors.
 */
function isAcceptable(verification: Verification | undefined, { repairs }: ReadingPlan): boolean {
  if (!verification) return !repairs;
  const { confidence, unsupported, misplaced } = verification;
  if (!repairs) return confidence >= MIN_CONFIDENCE;
  return confidence >= CORRECTION_THRESHOLD && unsupported.length === 0 && misplaced.length === 0;
}

/**
 * Converts a verification to the form that is stored with the page. It has ranges and counts, but no quoted
 * passages.
 */
function toPageVerification(verification: Verification, { parts }: MarkdownWithPictures): PageVerification {
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

const getConfidence = ({ verified }: Answer) => verified?.confidence ?? 1;

/** Returns the page with the model's text and blocks. Words, links and figures from the parser are kept. */
export function applyReading(page: Page, reading: Reading, readBy: ReadBy): Page {
  const { markdown, verification, places = [], left = [] } = reading;
  const { needsOcr: _, ...rest } = page;
  const blocks = placeMarkdown(markdown, page, places);
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
