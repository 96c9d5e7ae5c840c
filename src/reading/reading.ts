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

/** Changes with the prompts and with what is made of answers: pages are then read anew. */
export const READING_VERSION = '2026-11-23.1';

/** What a model wrote of a page. */
export interface Reading {
  markdown: string;
  verification?: PageVerification | undefined;
  /** Where parts of it stand on the page, as far as more than their words tells. */
  places?: PlacedPart[];
  /** Of pictures that are left out, a sentence each. */
  left?: string[];
}

export interface ReadingRequest {
  model: LanguageModel;
  plan: Plan;
  parse: ParsePlan;
  /** As the parser laid it out, with its words. */
  page: Page;
  picture?: PagePicture | undefined;
  /** The part of the page that the picture shows; absent: all of it. */
  seen?: Box | undefined;
  /** Those of the page that are to be looked at one by one. */
  pictures?: readonly { part: PagePart; picture: PagePicture | undefined }[] | undefined;
  before?: string | undefined;
  after?: string | undefined;
  signal: AbortSignal;
  /** For an answer: an endpoint that hangs must not hold the document for longer. */
  timeoutMs: number;
}

/** What plans that repair are less sure of than this is repaired; so is what has a part that is doubted. */
const SURE = 0.9;
/** What says less of the page than this is read again, and not used where it says less the second time. */
const LEAST = 0.5;

/**
 * What the model writes of the page: a second time where the first is not borne out by the page, and in plans that
 * repair. Undefined where the page bears neither out. Rejects as `askForPage` does.
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
  /** What the model wrote of the page, without the marks of its layout. */
  own: string;
  /** The same with what was read off the page's pictures. */
  written: WithPictures;
  /** Undefined where the page has no text of its own to judge by. */
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

/** Tables that the model read off charts together with their page, which are as many as those: in the same order. */
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

/** What a page cannot bear out or refute is read twice by plans that repair: the picture may tell. */
function isDone(verification: Verification | undefined, { repairs }: Plan): boolean {
  if (!verification) return !repairs;
  const { confidence, unsupported, misplaced } = verification;
  if (!repairs) return confidence >= LEAST;
  return confidence >= SURE && unsupported.length === 0 && misplaced.length === 0;
}

/** What is kept with the page: places and counts, whose texts stand in the page. */
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

/** The page with what was read in place of its layout's text. Words, links and figures stay the parser's. */
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
