import { z } from 'zod';
import { SinkError } from '#src/ports/sink.ts';
import { toSharedFields } from '#src/sinks/milvus/entity.ts';
import { LONGEST_TEXT, RECORD_FIELDS, WORDS } from '#src/sinks/milvus/schema.ts';
import type { ChunkRecord, RecordChange } from '#src/sinks/native/ledger/chunk-store.ts';
import { encodedRecord, encodeRecord } from '#src/sinks/native/record-json.ts';
import { toWordsText } from './words.ts';

const encoder = new TextEncoder();
// A byte order mark at the start of a piece belongs to the text.
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Returns the entity of a chunk without its vector. Throws if the chunk is larger than an entity can be. */
export function toChunkEntity(indexId: string, record: RecordChange): Record<string, unknown> {
  const { rowId, version, chunk, analysed } = record;
  const { title: _, ...filtered } = toSharedFields(chunk);
  return {
    id: rowId,
    sluice_index: indexId,
    document_id: chunk.documentId.toWellFormed(),
    version,
    position: chunk.position,
    node_id: chunk.id.toWellFormed(),
    ...filtered,
    ...splitRecord(record),
    [WORDS]: toWordsText(analysed),
  };
}

/** Splits the JSON of a record into the texts of the record fields. Unused fields are empty. */
function splitRecord(record: ChunkRecord): Record<string, string> {
  const bytes = encoder.encode(encodeRecord(record));
  const pieces: Record<string, string> = {};
  let from = 0;
  for (const name of RECORD_FIELDS) {
    let end = Math.min(bytes.length, from + LONGEST_TEXT);
    // UTF-8 marks the bytes that continue a character: they begin with the bits 10.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
    pieces[name] = decoder.decode(bytes.subarray(from, end));
    from = end;
  }
  if (from === bytes.length) return pieces;
  const most = RECORD_FIELDS.length * LONGEST_TEXT;
  throw new SinkError(
    `Milvus: The chunk ${record.chunk.id} has ${bytes.length} bytes with its metadata. At most ${most} can be stored. Use smaller chunks.`,
    { retryable: false },
  );
}

/** Schema of an entity with all record fields, which becomes the record. */
const storedRecord = z
  .looseObject({})
  .transform((entity: Record<string, unknown>) => RECORD_FIELDS.map((name) => entity[name] ?? '').join(''))
  .pipe(encodedRecord);

/** Schema of a list of entities. Entities in another format become `null`. */
export const records = z.array(storedRecord.nullable().catch(null));

/** Schema of search results. Entities in another format become `null`. */
export const scoredRecords = z.array(
  z
    .looseObject({ distance: z.number() })
    .transform((entity, context) => {
      const parsed = storedRecord.safeParse(entity);
      if (parsed.success) return { distance: entity.distance, record: parsed.data };
      context.addIssue({ code: 'custom', message: 'The entity is not a record.' });
      return z.NEVER;
    })
    .nullable()
    .catch(null),
);
