import type { Document } from 'mongodb';
import { toMetadataTerms, VALUES } from '#src/sinks/external/metadata-terms.ts';
import { hasDirection } from '#src/sinks/external/vectors.ts';
import { ROW, VECTOR, WORDS } from '#src/sinks/mongodb/index-layout.ts';
import type { NewRecord, RecordChange } from '#src/sinks/native/ledger/chunk-store.ts';
import { encodeRecord } from '#src/sinks/native/record-json.ts';
import { toWordsText } from '#src/sinks/native/words.ts';

/** Builds the document of a chunk, with all fields. */
export async function toChunkDocument(indexId: string, record: NewRecord): Promise<Document> {
  const { Binary } = await import('mongodb');
  const { rowId, version, chunk, vector } = record;
  return {
    sluice_index: indexId,
    document_id: chunk.documentId,
    version,
    position: chunk.position,
    node_id: chunk.id,
    [ROW]: rowId,
    ...toChangedFields(record),
    // A search by cosine cannot find zero vectors. The document is stored without one.
    ...(hasDirection(vector) && { [VECTOR]: Binary.fromFloat32Array(vector) }),
  };
}

/** Builds the fields that change if title or metadata of a chunk's document change. */
export const toChangedFields = (change: RecordChange): Document => ({
  [WORDS]: toWordsText(change.analysed),
  record: encodeRecord(change),
  [VALUES]: toMetadataTerms(change.chunk.metadata)[VALUES],
});
