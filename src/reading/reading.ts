import type { LanguageModel } from 'ai';
import type { Page, PageVerification, ReadBy } from '#src/parsing/document.ts';
import { splitMarkdown } from '#src/parsing/markdown/document-blocks.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import { placeBlocks } from './place-blocks.ts';
import type { Plan } from './plan.ts';
import { newFence, type Prompt, type PromptInput, promptFor, repairPromptFor } from './prompt.ts';
import { askForPage, PageFailure, type PagePicture } from './read-page.ts';
import { type PageTruth, verifyPage } from './verify/index.ts';

/** Changes with the prompts and with what is made of answers: pages are then read anew. */
export const READING_VERSION = '2026-11-22';

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
  timeoutMs?: number | undefined;
}

/** What says less of the page than this is read again. */
const SURE = 0.9;
/** What says less than this the second time is not used. */
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
  const { verification } = first;
  const isDone = verification ? verification.confidence >= (plan.repairs ? SURE : LEAST) : !plan.repairs;
  const again = () =>
    ask(plan.repairs ? repairPromptFor(input, first.markdown, unsupportedOf(first)) : promptFor(input));
  const second = isDone ? undefined : await again();
  const best = second && confidenceOf(second) >= confidenceOf(first) ? second : first;
  if (confidenceOf(best) < LEAST) return undefined;
  if (best.markdown === '' && page.text.trim() !== '')
    throw new PageFailure('engine_error: The model wrote nothing of a page that has text.');
  return best;
}

function verified(markdown: string, { page }: ReadingRequest): Reading {
  const { known, confidence, unsupported } = verifyPage(markdown, truthOf(page));
  // A page without a text of its own says nothing of what was read in its picture.
  if (!known) return { markdown };
  const spans = unsupported.map(({ start, end }) => ({ start, end }));
  return { markdown, verification: { confidence, unsupported: spans } };
}

const truthOf = ({ text, words, ocr }: Page): PageTruth => ({
  text,
  words,
  source: ocr ? 'ocr' : 'text layer',
  ...(ocr?.confidence !== undefined && { confidence: ocr.confidence }),
});

const confidenceOf = ({ verification }: Reading) => verification?.confidence ?? 1;

const unsupportedOf = ({ markdown, verification }: Reading) =>
  (verification?.unsupported ?? []).map(({ start, end }) => markdown.slice(start, end));

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
