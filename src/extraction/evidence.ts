import type { Box } from '#src/documents/document.ts';

/**
 * Place in a document that contains an extracted value. Boxes are in PDF points from the top left corner of
 * the page.
 */
export interface Citation {
  /** Page number, counted from 1. */
  page: number;
  matching_text: string;
  bounding_boxes?: Box[];
  page_dimensions?: { width: number; height: number };
}

/** Evidence for one extracted string, number or boolean. `confidence` is from 0 to 1. */
export interface FieldEvidence {
  confidence: number;
  /** Citations, as claimed by the extractor until check-evidence.ts replaces them by verified ones. */
  citations: Citation[];
  /** Confidence from 0 to 1 that the cited words were read correctly. Undefined if unknown. */
  parsing?: number;
  reasoning?: string;
}

/** Evidence for the values of a result. The keys are JSON pointers to the values. */
export type EvidenceMap = ReadonlyMap<string, FieldEvidence>;

/** Extracted object with the evidence for its values. */
export interface Extraction {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

/** Converts a path to a JSON pointer as defined in RFC 6901. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/**
 * Returns the confidence in a value, from 0 to 1. The extractor's confidence is halved without a verified
 * citation. It is reduced by a fifth if the value was converted.
 */
export function computeConfidence({ confidence, citations }: FieldEvidence, converted = false): number {
  const grounded = citations.length > 0 ? confidence : confidence * 0.5;
  return Math.max(0, Math.min(1, converted ? grounded * CONVERSION_FACTOR : grounded));
}

export const CONVERSION_FACTOR = 0.8;
