import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { NewRecord, RecordChange } from '#src/sinks/native/ledger/chunk-store.ts';
import { hasDirection } from '#src/sinks/opensearch/document.ts';
import { VECTOR } from '#src/sinks/opensearch/engine.ts';
import { NODE_KEY, RECORD, WORDS } from '#src/sinks/opensearch/fields.ts';
import { cutTerm, toMetadataTerms } from '#src/sinks/opensearch/metadata-terms.ts';
import type { StoredRecord } from './records.ts';

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
export function toChangedFields({
  version,
  keywords,
  length,
  chunk,
  analysed,
}: RecordChange): Record<string, unknown> {
  const record: StoredRecord = { version, keywords, length, chunk };
  return {
    [WORDS]: toWords(analysed),
    // The JSON text has zero characters and unpaired surrogates as escape sequences, so they come back unchanged.
    [RECORD]: JSON.stringify(record),
    ...toMetadataTerms(chunk.metadata),
  };
}

/** Returns all terms, each as often as it occurs. Terms contain letters, digits and marks, but no spaces. */
function toWords({ terms, frequencies }: Pick<AnalysedChunk, 'terms' | 'frequencies'>): string {
  return terms
    .map((term, at) => `${term} `.repeat(frequencies[at]!))
    .join('')
    .trimEnd();
}
