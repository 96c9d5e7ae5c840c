import { z } from 'zod';
import { newId } from '#src/lib/ids.ts';
import { canonicalJson, sha256 } from '#src/lib/secrets/hash.ts';

/** A text that a client puts into a pipeline. */
export const newDocument = z.object({
  text: z.string().max(20_000_000),
  metadata: z.record(z.string(), z.unknown()),
  id: z.string().min(1).max(1000).nullish().describe('Any text; made up when absent.'),
  excluded_embed_metadata_keys: z.array(z.string()).nullish(),
  excluded_llm_metadata_keys: z.array(z.string()).nullish(),
  page_positions: z
    .array(z.number().int().min(0))
    .nullish()
    .describe(
      'The character offset at which each page starts; text before the first one is a page of its own.',
    ),
});
export type NewDocument = z.infer<typeof newDocument>;

export const newDocuments = z.array(newDocument).max(1000);

/** The row of a document and its text. */
export async function identify(input: NewDocument) {
  // As it will be stored: half a surrogate pair is no text.
  const documentId = (input.id ?? newId()).toWellFormed();
  const pagePositions = input.page_positions?.toSorted((a, b) => a - b) ?? null;
  // All that shapes chunks. What metadata do to vectors is found out when they change.
  const decisive = [documentId, input.text, pagePositions];
  return {
    documentId,
    text: input.text,
    contentHash: await sha256(canonicalJson(decisive)),
    metadata: input.metadata,
    excludedEmbedMetadataKeys: input.excluded_embed_metadata_keys ?? [],
    excludedLlmMetadataKeys: input.excluded_llm_metadata_keys ?? [],
    pagePositions,
  };
}
