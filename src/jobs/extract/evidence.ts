import type { Box } from '../../ingest/parsing/document.ts';

/** A place that is said to hold a value, not checked yet. Pages are 1-based, boxes in PDF points. */
export interface CitationCandidate {
  page: number;
  matching_text: string;
  bounding_boxes?: Box[];
}

/** What speaks for one leaf of a result. Confidence 0..1. */
export interface FieldEvidence {
  confidence: number;
  citations: CitationCandidate[];
  reasoning?: string;
}

/** Evidence by JSON pointer of the leaf within its result. */
export type EvidenceMap = ReadonlyMap<string, FieldEvidence>;

/** RFC 6901. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}
