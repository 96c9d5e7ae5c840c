import type { Box, Page, Word } from '#src/documents/document.ts';
import { verifyCitations } from './citations.ts';
import type { Citation, EvidenceMap, FieldEvidence } from './evidence.ts';

/**
 * Returns extracted values with only those citations whose text occurs on the cited pages. Adds the
 * confidence that the cited words were read correctly.
 */
export function checkEvidence<Value>(
  pages: Page[],
  { value, evidence }: { value: Value; evidence: EvidenceMap },
): { value: Value; evidence: EvidenceMap } {
  return {
    value,
    evidence: new Map([...evidence].map(([at, found]) => [at, checkFieldEvidence(pages, found)])),
  };
}

function checkFieldEvidence(pages: Page[], found: FieldEvidence): FieldEvidence {
  const citations = verifyCitations(pages, found.citations);
  const parsing = mean(citations.map((citation) => getParsingConfidence(pages, citation)));
  return { ...found, citations, ...(parsing !== undefined && { parsing }) };
}

/**
 * Returns the confidence, from 0 to 1, that cited words were read correctly. For a text layer this is 1. For
 * OCR, it is the mean of the cited words, or otherwise the confidence of the page.
 */
function getParsingConfidence(
  pages: Page[],
  { page: number, bounding_boxes: boxes }: Citation,
): number | undefined {
  const page = pages.find(({ index }) => index + 1 === number);
  if (!page?.ocr) return 1;
  // If only some words have an OCR confidence, the other words come from a text layer and count as certain.
  const layer = page.words.some(([, , , , , confidence]) => confidence !== undefined) ? 1 : undefined;
  const words = page.words.filter((word) => boxes?.some((box) => isInside(word, box)));
  return mean(words.map(([, , , , , confidence]) => confidence ?? layer)) ?? page.ocr.confidence;
}

function isInside([, x, y, w, h]: Word, box: Box): boolean {
  const [middleX, middleY] = [x + w / 2, y + h / 2];
  return middleX >= box.x && middleX <= box.x + box.w && middleY >= box.y && middleY <= box.y + box.h;
}

function mean(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : undefined;
}
