import type { Box } from '#src/documents/document.ts';

/** A place that contains a value. Boxes are in PDF points from the page's top left. */
export interface Citation {
  /** Page number, counted from 1. */
  page: number;
  matching_text: string;
  bounding_boxes?: Box[];
  page_dimensions?: { width: number; height: number };
}

/** Evidence for one leaf of a result. Confidence ranges from 0 to 1. */
export interface FieldEvidence {
  confidence: number;
  /** Citations of the reader, until check-evidence.ts verifies them. */
  citations: Citation[];
  /** Confidence from 0 to 1 that the cited words were read correctly; absent if unknown. */
  parsing?: number;
  reasoning?: string;
}

/** Evidence keyed by the JSON pointer of the leaf in its result. */
export type EvidenceMap = ReadonlyMap<string, FieldEvidence>;

/** An extracted object with the evidence of its leaves. Pages of citations are 1-based. */
export interface Extraction {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

/** Returns a JSON pointer according to RFC 6901. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/**
 * Returns a confidence from 0 to 1. The reader's confidence is halved if no citation was verified, and
 * reduced by a fifth if the value was converted.
 */
export function confidenceOf({ confidence, citations }: FieldEvidence, converted = false): number {
  const grounded = citations.length > 0 ? confidence : confidence * 0.5;
  return Math.max(0, Math.min(1, converted ? grounded * CONVERTED : grounded));
}

export const CONVERTED = 0.8;
