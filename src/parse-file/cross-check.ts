import type { Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { OcrPlan } from '#src/parse/plan.ts';
import { type Ocr, Unreadable } from '#src/ports/ocr.ts';
import { buildDrawingOptions, fitToEngine } from './scanned-page.ts';

/** Returns whether the text layer of a page is compared with the text that OCR recognizes. */
export const wantsCrossCheck = (page: Page, { crossCheck }: OcrPlan): boolean =>
  crossCheck && !page.needsOcr && page.text.trim() !== '';

/**
 * Compares the text layer of a page with OCR and adds the agreement to the page. Returns the page unchanged
 * if it cannot be drawn or read.
 */
export async function crossCheckPage(
  document: OpenDocument,
  page: Page,
  ocr: Ocr,
  { languages }: OcrPlan,
): Promise<Page> {
  if (!document.renderPage) return page;
  try {
    const image = await fitToEngine(
      await document.renderPage(page.index, buildDrawingOptions(ocr, false)),
      ocr,
    );
    const { text } = await ocr.recognise(image, languages);
    return { ...page, agreement: measureAgreement(page.text, text) };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof ParseError) return page;
    throw error;
  }
}

/**
 * Returns the similarity of the words of two texts as a Dice coefficient from 0 to 1. A repeated word counts
 * as often as it occurs in both texts.
 */
export function measureAgreement(one: string, other: string): number {
  const [ours, theirs] = [splitWords(one), splitWords(other)];
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

const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
