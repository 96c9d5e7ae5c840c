import type { IndexedChunk, IndexedDocument, Metadata } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';

export function document(
  documentId: string,
  version = 1,
  rest: Partial<IndexedDocument> = {},
): IndexedDocument {
  return { documentId, version, title: documentId, metadata: {}, ...rest };
}

/** Returns chunks of one document, one per text, each with a vector derived from its text. */
export function chunks(documentId: string, version: number, texts: string[], dimension = 8): IndexedChunk[] {
  return texts.map((text, position) => ({
    id: `${documentId}/${version}/${position}`,
    position,
    text,
    startChar: position * 100,
    endChar: position * 100 + text.length,
    hash: `hash of ${text}`,
    language: 'en',
    vector: toDirection(text, dimension),
  }));
}

/** Returns the only point of a document, whose id is its position in a list. */
export const toVectorPoint = (metadata: Metadata, at: number): VectorPoint => ({
  id: crypto.randomUUID(),
  documentId: String(at),
  version: 1,
  position: 0,
  nodeId: `node ${at}`,
  text: 'walrus',
  title: 'Annual report',
  metadata,
  pages: {},
  vector: toDirection(String(at)),
});

/** Returns a unit vector that depends only on the text. */
export function toDirection(text: string, dimension = 8): Float32Array {
  let state = 2166136261;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 16777619);
  const vector = Float32Array.from({ length: dimension }, () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    return ((state >>> 0) / 2 ** 32) * 2 - 1;
  });
  const norm = Math.hypot(...vector);
  return vector.map((x) => x / norm);
}
