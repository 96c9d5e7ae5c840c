import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { type StoredMetadata, toStoredMetadata } from './metadata.ts';

export interface AstraDocument extends StoredMetadata {
  _id: string;
  $vector: { $binary: string };
  sluice_index: string;
  document_id: string;
  version: number;
  position: number;
  node_id: string;
  title: string;
  text: string;
  pages: VectorPoint['pages'];
}

export function toAstraDocument(indexId: string, point: VectorPoint): AstraDocument {
  return {
    _id: point.id,
    $vector: { $binary: encodeVector(point.vector) },
    sluice_index: indexId,
    document_id: point.documentId,
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    title: point.title.toWellFormed(),
    text: point.text.toWellFormed(),
    pages: point.pages,
    ...toStoredMetadata(point.metadata),
  };
}

function encodeVector(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, component] of vector.entries()) view.setFloat32(at * 4, component);
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}
