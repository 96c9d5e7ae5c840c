import { isRecord } from '#src/json-schema/schema.ts';
import { toPointer } from './evidence.ts';

/**
 * Yields the confidences of extracted values with JSON pointers into the result. `metadata` is the
 * `field_metadata` of a result, or undefined if the job did not ask for confidences.
 */
export function* iterateConfidences(metadata: unknown): Generator<[pointer: string, confidence: number]> {
  if (!isRecord(metadata)) return;
  for (const part of ['document_metadata', 'page_metadata', 'row_metadata']) yield* walk(metadata[part], []);
}

function* walk(node: unknown, path: (string | number)[]): Generator<[string, number]> {
  if (Array.isArray(node)) {
    for (const [index, inner] of node.entries()) yield* walk(inner, [...path, index]);
  } else if (isRecord(node)) {
    // The member `confidence` of an object with that field is another node, and not a number.
    if (typeof node.confidence === 'number') yield [toPointer(path), node.confidence];
    else for (const [name, inner] of Object.entries(node)) yield* walk(inner, [...path, name]);
  }
}

/** Returns the lowest and the mean confidence of the values, or nulls if there are none. */
export function summarizeConfidences(metadata: unknown): {
  confidenceMin: number | null;
  confidenceMean: number | null;
} {
  let count = 0;
  let sum = 0;
  let lowest = 1;
  for (const [, confidence] of iterateConfidences(metadata)) {
    count += 1;
    sum += confidence;
    lowest = Math.min(lowest, confidence);
  }
  return count === 0
    ? { confidenceMin: null, confidenceMean: null }
    : { confidenceMin: lowest, confidenceMean: sum / count };
}
