import { z } from 'zod';
import { whyTooLarge } from '#src/builtin/filter-inference/schema.ts';
import { DEFAULTS, type RetrievalParameters } from './defaults.ts';
import { metadataFilters } from './filter-schema.ts';

export { DEFAULTS, type RetrievalParameters } from './defaults.ts';

/**
 * Maximum characters of a query, which is some pages of text. Longer queries would block the index for
 * others.
 */
export const LONGEST_QUERY = 20_000;

export const queryText = z
  .string()
  .trim()
  .min(1, 'a query must have more than white space')
  .max(LONGEST_QUERY, `a query may have at most ${LONGEST_QUERY} characters`);

/** Maximum number of chunks that a query may request. */
export const MOST_RESULTS = 100;
const topK = () => z.number().int().min(1).max(MOST_RESULTS);

/** Stored defaults of a pipeline, which are also the members that a request may override. */
export const presetRetrievalParameters = z.object({
  class_name: z.string().nullish(),
  alpha: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('0 sparse only, 1 dense only; by default what suits the embedder.'),
  dense_similarity_cutoff: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('What is less similar the dense arm does not find; chunks that are found by their words stay.'),
  dense_similarity_top_k: topK().nullish(),
  sparse_similarity_top_k: topK().nullish(),
  enable_reranking: z.boolean().nullish(),
  rerank_top_n: topK().nullish(),
  files_top_k: z.number().int().min(1).max(5).nullish(),
  retrieval_mode: z.enum(['auto_routed', 'chunks', 'files_via_content', 'files_via_metadata']).nullish(),
  retrieve_image_nodes: z.boolean().nullish().meta({ deprecated: true }),
  retrieve_page_figure_nodes: z.boolean().nullish(),
  retrieve_page_screenshot_nodes: z.boolean().nullish(),
  search_filters: metadataFilters.nullish(),
  search_filters_inference_schema: z
    .record(
      z.string(),
      z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string(), z.number(), z.boolean()]),
    )
    .superRefine((schema, context) => {
      const message = whyTooLarge(schema);
      if (message) context.addIssue({ code: 'custom', message });
    })
    .nullish(),
});
export type PresetRetrievalParameters = z.infer<typeof presetRetrievalParameters>;

export const retrievalRequest = presetRetrievalParameters.extend({ query: queryText });

/**
 * Merges a request with the preset. A missing member takes the preset's value; a member that is null takes
 * the default.
 */
export function mergeParameters(
  request: PresetRetrievalParameters,
  preset: PresetRetrievalParameters,
): RetrievalParameters {
  const merged: Record<string, unknown> = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof RetrievalParameters)[]) {
    const value = request[name] === undefined ? preset[name] : request[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  const pictures = request.retrieve_image_nodes === undefined ? preset : request;
  if (pictures.retrieve_image_nodes) {
    // The deprecated flag requests both kinds of pictures. A value of the request for one kind overrides a
    // preset's value for both.
    for (const name of PICTURES) {
      if (pictures === request || request[name] === undefined) merged[name] = true;
    }
  }
  return merged as unknown as RetrievalParameters;
}

const PICTURES = ['retrieve_page_figure_nodes', 'retrieve_page_screenshot_nodes'] as const;
