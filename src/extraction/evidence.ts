import type { Box } from '#src/documents/document.ts';

/** A place that holds a value. Boxes are in PDF points from the page's top left. */
export interface Citation {
  /** 1-based. */
  page: number;
  matching_text: string;
  bounding_boxes?: Box[];
  page_dimensions?: { width: number; height: number };
}

/** What speaks for one leaf of a result. Confidence 0..1. */
export interface FieldEvidence {
  confidence: number;
  /** As the reader says, until the pages have been asked (check-evidence.ts). */
  citations: Citation[];
  /** How surely the cited words themselves were read, 0..1; absent while nobody can say. */
  parsing?: number;
  reasoning?: string;
}

/** Evidence by JSON pointer of the leaf within its result. */
export type EvidenceMap = ReadonlyMap<string, FieldEvidence>;

/** One extracted object and where each of its leaves was read. Pages of citations are 1-based. */
export interface Extraction {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

/** RFC 6901. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/**
 * Evidence 0..1 as the reader judged it (how well the label fits, how near the value stands, how exactly its
 * pattern matches, how many places agree), halved when no citation of it survived, and lowered by a fifth when
 * the value had to be converted.
 */
export function confidenceOf({ confidence, citations }: FieldEvidence, converted = false): number {
  const grounded = citations.length > 0 ? confidence : confidence * 0.5;
  return Math.max(0, Math.min(1, converted ? grounded * CONVERTED : grounded));
}

export const CONVERTED = 0.8;
