import type { Box } from '#src/documents/document.ts';

/**
 * Place in the document that contains a value. Boxes are in PDF points from the top left corner of the page.
 */
export interface Citation {
  /** Page number, counted from 1. */
  page: number;
  matching_text: string;
  bounding_boxes?: Box[];
  page_dimensions?: { width: number; height: number };
}

/** Evidence for one scalar value of a result. Confidence ranges from 0 to 1. */
export interface FieldEvidence {
  confidence: number;
  /** Citations that the extractor claims. check-evidence.ts replaces them by verified citations. */
  citations: Citation[];
  /** Confidence from 0 to 1 that the cited words were read correctly. Undefined if unknown. */
  parsing?: number;
  reasoning?: string;
}

/** Evidence by the JSON pointer of the value in its result. */
export type EvidenceMap = ReadonlyMap<string, FieldEvidence>;

/** Extracted object with the evidence of its values. Pages of citations are counted from 1. */
export interface Extraction {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

/** Returns a JSON pointer according to RFC 6901. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/**
 * Returns a confidence from 0 to 1. The extractor's confidence is halved if no citation was verified, and
 * reduced by a fifth if the value was converted.
 */
export function computeConfidence({ confidence, citations }: FieldEvidence, converted = false): number {
  const grounded = citations.length > 0 ? confidence : confidence * 0.5;
  return Math.max(0, Math.min(1, converted ? grounded * CONVERSION_FACTOR : grounded));
}

export const CONVERSION_FACTOR = 0.8;
