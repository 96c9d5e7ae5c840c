import { z } from 'zod';
import { describeExcess } from '#src/builtin/filter-inference/schema.ts';
import { DEFAULTS, type RetrievalParameters } from './defaults.ts';
import { metadataFilters } from './filter-schema.ts';

export { DEFAULTS, type RetrievalParameters } from './defaults.ts';

/**
 * Maximum length of a query in characters, which is several pages of text. Longer queries would block the
 * index for other requests.
 */
export const MAX_QUERY_CHARACTERS = 20_000;

export const queryText = z
  .string()
  .trim()
  .min(1, 'a query must contain more than white space')
  .max(MAX_QUERY_CHARACTERS, `a query may have at most ${MAX_QUERY_CHARACTERS} characters`);

export const MAX_RESULTS = 100;
const topK = () => z.number().int().min(1).max(MAX_RESULTS);

/**
 * Schema of the retrieval parameters that a pipeline stores as its preset. A request may override each
 * parameter.
 */
export const presetRetrievalParameters = z.object({
  class_name: z.string().nullish(),
  alpha: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe(
      'Weight of dense search: 0 is sparse search only, and 1 is dense search only. The default depends on the embedding model.',
    ),
  dense_similarity_cutoff: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe(
      'Minimum similarity of chunks found by dense search. Chunks that sparse search finds are not affected.',
    ),
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
      const message = describeExcess(schema);
      if (message) context.addIssue({ code: 'custom', message });
    })
    .nullish(),
});
export type PresetRetrievalParameters = z.infer<typeof presetRetrievalParameters>;

export const retrievalRequest = presetRetrievalParameters.extend({ query: queryText });

/**
 * Merges the retrieval parameters of a request with the pipeline's preset. A missing parameter takes its
 * value from the preset, and a null parameter takes the default.
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
    // The deprecated flag requests both kinds of pictures. A flag in the preset does not override a request's
    // parameter for a single kind.
    for (const name of PICTURE_PARAMETERS) {
      if (pictures === request || request[name] === undefined) merged[name] = true;
    }
  }
  return merged as unknown as RetrievalParameters;
}

const PICTURE_PARAMETERS = ['retrieve_page_figure_nodes', 'retrieve_page_screenshot_nodes'] as const;
