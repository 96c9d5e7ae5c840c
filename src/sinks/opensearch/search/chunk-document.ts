import { cutTerm, toMetadataTerms } from '#src/sinks/external/metadata-terms.ts';
import { hasDirection } from '#src/sinks/external/vectors.ts';
import type { NewRecord, RecordChange } from '#src/sinks/native/ledger/chunk-store.ts';
import { encodeRecord } from '#src/sinks/native/record-json.ts';
import { toWordsText } from '#src/sinks/native/words.ts';
import { VECTOR } from '#src/sinks/opensearch/engine.ts';
import { NODE_KEY, RECORD, WORDS } from '#src/sinks/opensearch/fields.ts';

/** Builds the document of a chunk, with all fields. */
export function toChunkDocument(indexId: string, record: NewRecord): Record<string, unknown> {
  const { version, chunk, vector } = record;
  return {
    sluice_index: indexId,
    document_id: chunk.documentId,
    version,
    position: chunk.position,
    [NODE_KEY]: cutTerm(chunk.id),
    ...toChangedFields(record),
    // Both products reject zero vectors, which no search by cosine can find. The document is stored without one.
    ...(hasDirection(vector) && { [VECTOR]: [...vector] }),
  };
}

/** Builds the fields that change if title or metadata of a chunk's document change. */
export function toChangedFields(change: RecordChange): Record<string, unknown> {
  return {
    [WORDS]: toWordsText(change.analysed),
    [RECORD]: encodeRecord(change),
    ...toMetadataTerms(change.chunk.metadata),
  };
}
