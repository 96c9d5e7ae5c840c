import type { Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { OcrPlan } from '#src/parse/plan.ts';
import { type Ocr, Unreadable } from '#src/ports/ocr.ts';
import { drawingFor, fitted } from './scanned-page.ts';

/** Returns whether the text layer of the page is compared with what the page shows. */
export const wantsCrossCheck = (page: Page, { crossCheck }: OcrPlan): boolean =>
  crossCheck && !page.needsOcr && page.text.trim() !== '';

/** The page with how far an engine that reads its picture agrees with its text layer; as it was where none can. */
export async function crossChecked(
  document: OpenDocument,
  page: Page,
  ocr: Ocr,
  { languages }: OcrPlan,
): Promise<Page> {
  if (!document.renderPage) return page;
  try {
    const image = await fitted(await document.renderPage(page.index, drawingFor(ocr, false)), ocr);
    const { text } = await ocr.recognise(image, languages);
    return { ...page, agreement: agreementOf(page.text, text) };
  } catch (error) {
    // A page that cannot be drawn has nothing to be compared with.
    if (error instanceof Unreadable || error instanceof ParseError) return page;
    throw error;
  }
}

/** Words that both have, counted as often as both do, as a share of all: 0 to 1 (Dice). */
export function agreementOf(one: string, other: string): number {
  const [ours, theirs] = [wordsOf(one), wordsOf(other)];
  if (ours.length + theirs.length === 0) return 1;
  const left = new Map<string, number>();
  for (const word of ours) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of theirs) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared += 1;
  }
  return Math.round((200 * shared) / (ours.length + theirs.length)) / 100;
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
