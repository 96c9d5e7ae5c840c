import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';

export function document(
  documentId: string,
  version = 1,
  rest: Partial<IndexedDocument> = {},
): IndexedDocument {
  return { documentId, version, title: documentId, metadata: {}, ...rest };
}

/** Chunks of one document, one for each text, with vectors that point to their own direction. */
export function chunks(documentId: string, version: number, texts: string[], dimension = 8): IndexedChunk[] {
  return texts.map((text, position) => ({
    id: `${documentId}/${version}/${position}`,
    position,
    text,
    startChar: position * 100,
    endChar: position * 100 + text.length,
    hash: `hash of ${text}`,
    language: 'en',
    vector: directionOf(text, dimension),
  }));
}

/** A unit vector that depends on the text alone. */
export function directionOf(text: string, dimension = 8): Float32Array {
  let state = 2166136261;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 16777619);
  const vector = Float32Array.from({ length: dimension }, () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    return ((state >>> 0) / 2 ** 32) * 2 - 1;
  });
  const norm = Math.hypot(...vector);
  return vector.map((x) => x / norm);
}
