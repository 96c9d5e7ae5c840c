import type { Metadata } from '#src/ports/index-types.ts';
import { toMetadataTerms } from '#src/sinks/external/metadata-terms.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { hasDirection } from '#src/sinks/external/vectors.ts';
import { VECTOR } from './engine.ts';

/** Builds the fields that all points of a document share: title and metadata. */
export function toSharedFields(title: string, metadata: Metadata): Record<string, unknown> {
  // The metadata is one text, because an update would merge an object with the old one and keep removed keys.
  return { title, metadata: JSON.stringify(metadata), ...toMetadataTerms(metadata) };
}

export function toSearchDocument(indexId: string, point: VectorPoint): Record<string, unknown> {
  return {
    sluice_index: indexId,
    document_id: point.documentId,
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    text: point.text,
    pages: JSON.stringify(point.pages),
    ...toSharedFields(point.title, point.metadata),
    // Both products reject zero vectors, which no search by cosine can find. The document is stored without one.
    ...(hasDirection(point.vector) && { [VECTOR]: [...point.vector] }),
  };
}
