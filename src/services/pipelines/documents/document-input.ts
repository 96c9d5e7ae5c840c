import { z } from 'zod';
import { newId } from '#src/lib/ids.ts';
import { canonicalJson, sha256 } from '#src/lib/secrets/hash.ts';

/**
 * Maximum length of all fields besides the text together, in bytes of JSON. They are stored in one row, and D1 limits a
 * row to 2,000,000 bytes.
 */
const MAX_FIELD_BYTES = 1_500_000;

/** Number of characters of a text's hash that are stored, which is 128 bits. */
const HASH_CHARACTERS = 32;

const fields = z.object({
  text: z.string().max(20_000_000),
  metadata: z.record(z.string(), z.unknown()),
  id: z.string().min(1).max(1000).nullish().describe('Any text. Generated if absent.'),
  excluded_embed_metadata_keys: z.array(z.string()).nullish(),
  excluded_llm_metadata_keys: z.array(z.string()).nullish(),
  page_positions: z
    .array(z.number().int().min(0))
    .nullish()
    .describe('Character offset at which each page starts. Text before the first offset is a separate page.'),
});

export const newDocument = fields.refine((document) => measureFields(document) <= MAX_FIELD_BYTES, {
  message: `all fields besides the text may have at most ${MAX_FIELD_BYTES} bytes as JSON`,
  path: ['metadata'],
});

const measureFields = (document: z.infer<typeof fields>): number =>
  new TextEncoder().encode(JSON.stringify({ ...document, text: '' })).byteLength;

export type NewDocument = z.infer<typeof newDocument>;

export const newDocuments = z.array(newDocument).max(1000);

export async function buildDraft(input: NewDocument) {
  // Unpaired surrogates in an id are replaced, because they cannot be stored.
  const documentId = (input.id ?? newId()).toWellFormed();
  const pagePositions = input.page_positions?.toSorted((a, b) => a - b) ?? null;
  // Hash of the values that determine a document's chunks. Metadata is not included, because a change of it
  // needs no new chunks.
  const decisive = [documentId, input.text, pagePositions];
  return {
    documentId,
    text: input.text,
    contentHash: (await sha256(canonicalJson(decisive))).slice(0, HASH_CHARACTERS),
    metadata: input.metadata,
    excludedEmbedMetadataKeys: input.excluded_embed_metadata_keys ?? [],
    excludedLlmMetadataKeys: input.excluded_llm_metadata_keys ?? [],
    pagePositions,
  };
}
