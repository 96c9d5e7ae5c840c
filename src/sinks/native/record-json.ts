import { z } from 'zod';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { ChunkRecord } from './ledger/chunk-store.ts';

function isMetadata(value: unknown): boolean {
  const isItem = (each: unknown) => ['string', 'number', 'boolean'].includes(typeof each);
  const isValue = (each: unknown) =>
    each === null || isItem(each) || (Array.isArray(each) && each.every(isItem));
  return isRecord(value) && Object.values(value).every(isValue);
}

/** Schema of the chunk of a record. */
export const storedChunk = z.object({
  id: z.string(),
  documentId: z.string(),
  position: z.int().min(0),
  text: z.string(),
  headings: z.array(z.string()),
  startChar: z.number(),
  endChar: z.number(),
  startPage: z.exactOptional(z.number()),
  endPage: z.exactOptional(z.number()),
  member: z.exactOptional(z.string()),
  hash: z.string(),
  language: z.exactOptional(z.string()),
  title: z.string(),
  // A schema of a record would lose the key `__proto__`.
  metadata: z.custom<Metadata>(isMetadata),
  previousId: z.exactOptional(z.string()),
  nextId: z.exactOptional(z.string()),
});

const recordSchema: z.ZodType<ChunkRecord> = z.object({
  rowId: z.string(),
  version: z.int(),
  keywords: z.string(),
  length: z.number(),
  chunk: storedChunk,
});

/**
 * Encodes a record as JSON text, for stores that keep it in one text field. NUL and unpaired surrogates become escape
 * sequences, so every store can keep them.
 */
export const encodeRecord = ({ rowId, version, keywords, length, chunk }: ChunkRecord): string =>
  JSON.stringify({ rowId, version, keywords, length, chunk });

/** Returns a schema of JSON text whose content has the given schema. */
export const jsonText = <T>(content: z.ZodType<T>): z.ZodType<T, string> =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'The text is not JSON.' });
        return z.NEVER;
      }
    })
    .pipe(content);

/** Schema of a text that `encodeRecord` wrote. */
export const encodedRecord = jsonText(recordSchema);
