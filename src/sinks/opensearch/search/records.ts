import { z } from 'zod';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { ChunkRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { RECORD } from '#src/sinks/opensearch/fields.ts';
import { createHitsSchema } from '#src/sinks/opensearch/wire.ts';

/** Record of a chunk as its document contains it. The id of the document is the name of the record. */
export type StoredRecord = Omit<ChunkRecord, 'rowId'>;

function isMetadata(value: unknown): boolean {
  const isItem = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  const isValue = (each: unknown) =>
    each === null || typeof each === 'boolean' || isItem(each) || (Array.isArray(each) && each.every(isItem));
  return isRecord(value) && Object.values(value).every(isValue);
}

const chunk = z.object({
  id: z.string(),
  documentId: z.string(),
  position: z.int().min(0),
  text: z.string(),
  headings: z.array(z.string()),
  startChar: z.number(),
  endChar: z.number(),
  startPage: z.number().exactOptional(),
  endPage: z.number().exactOptional(),
  member: z.string().exactOptional(),
  hash: z.string(),
  language: z.string().exactOptional(),
  title: z.string(),
  // A schema of a record would lose the key `__proto__`.
  metadata: z.custom<Metadata>(isMetadata),
  previousId: z.string().exactOptional(),
  nextId: z.string().exactOptional(),
});

const storedRecord: z.ZodType<StoredRecord> = z.object({
  version: z.int(),
  keywords: z.string(),
  length: z.number(),
  chunk,
});

const storedText = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('The record is not valid JSON.');
      return z.NEVER;
    }
  })
  .pipe(storedRecord);

const source = z.object({ [RECORD]: storedText });

const hit = z
  .object({ _id: z.string(), _source: source })
  .transform(({ _id, _source }): ChunkRecord => ({ rowId: _id, ..._source[RECORD] }));

/** Schema of listed records. */
export const listedRecords = createHitsSchema(hit);

const foundHit = z
  .object({ _id: z.string(), _score: z.number(), _source: source })
  .transform(({ _id, _score, _source }) => ({ rowId: _id, score: _score, ..._source[RECORD] }));

const cause = z.object({ type: z.string().nullish(), reason: z.string().nullish() });
const failed = z.object({
  status: z.int(),
  error: cause.extend({ root_cause: z.array(cause).nullish().catch(null) }),
});
export type FailedSearch = z.output<typeof failed>;

/**
 * Schema of the answers to several searches, in the order of the searches. Documents that Sluice did not write become
 * `null`.
 */
export const severalAnswers = z.object({
  responses: z.array(z.union([failed, createHitsSchema(foundHit.nullable().catch(null))])),
});
