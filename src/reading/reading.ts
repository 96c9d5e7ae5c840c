import type { LanguageModel } from 'ai';
import type { Page, PageVerification, ReadBy } from '#src/parsing/document.ts';
import { splitMarkdown } from '#src/parsing/markdown/document-blocks.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import { placeBlocks } from './place-blocks.ts';
import type { Plan } from './plan.ts';
import {
  type Faults,
  newFence,
  type Prompt,
  type PromptInput,
  promptFor,
  repairPromptFor,
} from './prompt.ts';
import { askForPage, PageFailure, type PagePicture } from './read-page.ts';
import { type PageTruth, type Verification, verifyPage } from './verify/index.ts';

/** Changes with the prompts and with what is made of answers: pages are then read anew. */
export const READING_VERSION = '2026-11-22.2';

/** What a model wrote of a page. */
export interface Reading {
  markdown: string;
  verification?: PageVerification | undefined;
}

export interface ReadingRequest {
  model: LanguageModel;
  plan: Plan;
  parameters: ParseParameters;
  /** As the parser laid it out, with its words. */
  page: Page;
  picture?: PagePicture | undefined;
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
  const { model, plan, parameters, page, picture, before, after, signal, timeoutMs } = request;
  const input: PromptInput = { plan, parameters, page, before, after, fence: newFence() };
  const ask = async (prompt: Prompt) =>
    verified(await askForPage({ model, prompt, picture, signal, timeoutMs }), request);
  const first = await ask(promptFor(input));
  const again = () =>
    ask(plan.repairs ? repairPromptFor(input, first.markdown, faultsOf(first.verified)) : promptFor(input));
  const second = isDone(first.verified, plan) ? undefined : await again();
  const best = second && confidenceOf(second) >= confidenceOf(first) ? second : first;
  if (best.markdown === '' && page.text.trim() !== '')
    throw new PageFailure('engine_error: The model wrote nothing of a page that has text.');
  if (confidenceOf(best) < LEAST) return undefined;
  return { markdown: best.markdown, ...(best.verified && { verification: kept(best.verified) }) };
}

/** `verified` is undefined where the page has no text of its own to judge by. */
interface Answer {
  markdown: string;
  verified: Verification | undefined;
}

function verified(markdown: string, { page }: ReadingRequest): Answer {
  const verification = verifyPage(markdown, truthOf(page));
  return { markdown, verified: verification.known ? verification : undefined };
}

/** What a page cannot bear out or refute is read twice by plans that repair: the picture may tell. */
function isDone(verification: Verification | undefined, { repairs }: Plan): boolean {
  if (!verification) return !repairs;
  const { confidence, unsupported, misplaced } = verification;
  if (!repairs) return confidence >= LEAST;
  return confidence >= SURE && unsupported.length === 0 && misplaced.length === 0;
}

/** What is kept with the page: places and counts, whose texts stand in the page. */
function kept({ confidence, unsupported, misplaced, missing }: Verification): PageVerification {
  const { samples: _, ...counts } = missing;
  return {
    confidence,
    unsupported: unsupported.map(({ start, end, kind }) => ({ start, end, kind })),
    misplaced: misplaced.map(({ start, end, kind, printed }) => ({ start, end, kind, printed })),
    missing: counts,
  };
}

const faultsOf = (verification: Verification | undefined): Faults => ({
  unsupported: verification?.unsupported.map(({ text }) => text) ?? [],
  misplaced: verification?.misplaced.map(({ text, printed }) => ({ text, printed })) ?? [],
  missing: verification?.missing.samples ?? [],
});

const truthOf = ({ text, words, ocr, blocks }: Page): PageTruth => ({
  text,
  words,
  runningHeads: blocks.flatMap((block) =>
    block.type === 'header' || block.type === 'footer' ? block.text : [],
  ),
  source: ocr ? 'ocr' : 'text layer',
  ...(ocr?.confidence !== undefined && { confidence: ocr.confidence }),
});

const confidenceOf = ({ verified }: Answer) => verified?.confidence ?? 1;

/** The page with what was read in place of its layout's text. Words, links and figures stay the parser's. */
export function pageWith(page: Page, { markdown, verification }: Reading, readBy: ReadBy): Page {
  const { needsOcr: _, ...rest } = page;
  const blocks = placeBlocks(splitMarkdown(markdown), page);
  const text = blocks
    .map((block) => block.text)
    .filter((each) => each !== '')
    .join('\n\n');
  return { ...rest, text, markdown, blocks, readBy, ...(verification && { verification }) };
}
