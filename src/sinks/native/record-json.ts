import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { ChunkRecord } from './ledger/chunk-store.ts';

const isMetadata = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordSchema: z.ZodType<ChunkRecord> = z.object({
  rowId: z.string(),
  version: z.number(),
  keywords: z.string(),
  length: z.number(),
  chunk: z.object({
    id: z.string(),
    documentId: z.string(),
    position: z.number(),
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
  }),
});

/**
 * Encodes a record as JSON text, for stores that keep it in one text field. NUL and unpaired surrogates become escape
 * sequences, so every store can keep them.
 */
export const encodeRecord = ({ rowId, version, keywords, length, chunk }: ChunkRecord): string =>
  JSON.stringify({ rowId, version, keywords, length, chunk });

/** Schema of a text that `encodeRecord` wrote. */
export const encodedRecord: z.ZodType<ChunkRecord, string> = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'The text is not JSON.' });
      return z.NEVER;
    }
  })
  .pipe(recordSchema);
