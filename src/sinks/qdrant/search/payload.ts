import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { ChunkRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { jsonText, storedChunk } from '#src/sinks/native/record-json.ts';
import { encodeMetadata, VALUES } from '#src/sinks/qdrant/filter.ts';

/** Fields of a payload that are needed to read a chunk. */
export const READ_FIELDS = [
  ...['document_id', 'version', 'position', 'node_id'],
  ...['title', 'text', 'metadata_json', 'details_json'],
];

type Payload = Record<string, unknown>;

/**
 * Returns the payload of a chunk. The fields that filters compare have an index. Title and text are readable by other
 * programs, and everything else is JSON text, so that it comes back exactly.
 */
export function toPayload(indexId: string, record: ChunkRecord): Payload {
  const { version, keywords, length, chunk } = record;
  const { id, documentId, position, text, title, metadata, ...details } = chunk;
  return {
    sluice_index: indexId,
    document_id: encodeText(documentId),
    version,
    position,
    node_id: encodeText(id),
    text: encodeText(text),
    details_json: JSON.stringify({ ...details, keywords, length }),
    ...toDocumentPayload({ title, metadata }),
  };
}

/** Returns the fields of a payload that all chunks of a document share. */
export const toDocumentPayload = ({ title, metadata }: { title: string; metadata: Metadata }): Payload => ({
  title: encodeText(title),
  metadata_json: JSON.stringify(metadata),
  [VALUES]: encodeMetadata(metadata),
});

/**
 * Qdrant rejects unpaired surrogates. A text that has some is stored as a JSON string, in which they are escaped. A text
 * that begins with a quotation mark becomes a JSON string too, so that no two texts become equal.
 */
export const encodeText = (text: string): string =>
  text.isWellFormed() && !text.startsWith('"') ? text : JSON.stringify(text);

const jsonString = jsonText(z.string());
const encodedText = z.union([z.string().regex(/^"/).pipe(jsonString), z.string().regex(/^(?!")/)]);

const details = storedChunk
  .omit({ id: true, documentId: true, position: true, text: true, title: true, metadata: true })
  .extend({ keywords: z.string(), length: z.number() });

/** Schema of a payload that `toPayload` has written. Its output is the chunk, without the name of its record. */
export const storedPayload = z
  .object({
    document_id: encodedText,
    version: z.number(),
    position: z.number(),
    node_id: encodedText,
    title: encodedText,
    text: encodedText,
    metadata_json: jsonText(storedChunk.shape.metadata),
    details_json: jsonText(details),
  })
  .transform(
    ({ details_json: { keywords, length, ...rest }, ...payload }): Omit<ChunkRecord, 'rowId'> => ({
      version: payload.version,
      keywords,
      length,
      chunk: {
        id: payload.node_id,
        documentId: payload.document_id,
        position: payload.position,
        text: payload.text,
        title: payload.title,
        metadata: payload.metadata_json,
        ...rest,
      },
    }),
  );
