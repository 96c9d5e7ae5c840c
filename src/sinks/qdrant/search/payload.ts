import { z } from 'zod';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { ChunkRecord } from '#src/sinks/native/ledger/chunk-store.ts';
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

const encodedText = z
  .string()
  .transform((text, context) => (text.startsWith('"') ? parseJson(text, context) : text))
  .pipe(z.string());

const jsonText = <T>(schema: z.ZodType<T>) => z.string().transform(parseJson).pipe(schema);

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('This is not JSON.');
    return z.NEVER;
  }
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

// A record schema would drop the key `__proto__`.
const metadata = z.custom<Metadata>(
  (given) =>
    isRecord(given) &&
    Object.values(given).every(
      (value) => value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar)),
    ),
);

const details = z.object({
  headings: z.array(z.string()),
  startChar: z.number(),
  endChar: z.number(),
  startPage: z.number().optional(),
  endPage: z.number().optional(),
  member: z.string().optional(),
  hash: z.string(),
  language: z.string().optional(),
  previousId: z.string().optional(),
  nextId: z.string().optional(),
  keywords: z.string(),
  length: z.number(),
});

/** Schema of a payload that `toPayload` has written. Its output is the chunk, without the name of its record. */
export const storedPayload = z
  .object({
    document_id: encodedText,
    version: z.number(),
    position: z.number(),
    node_id: encodedText,
    title: encodedText,
    text: encodedText,
    metadata_json: jsonText(metadata),
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
