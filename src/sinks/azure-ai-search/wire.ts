import { z } from 'zod';

// Response schemas of Azure AI Search. They contain only the fields that Sluice reads.

const fieldOfIndex = z.looseObject({
  name: z.string(),
  type: z.string(),
  key: z.boolean().nullish(),
  filterable: z.boolean().nullish(),
  sortable: z.boolean().nullish(),
  searchable: z.boolean().nullish(),
  analyzer: z.string().nullish(),
  dimensions: z.number().nullish(),
  vectorSearchProfile: z.string().nullish(),
});
export type FieldOfIndex = z.output<typeof fieldOfIndex>;

/**
 * Schema of an index definition. Unknown properties are kept, because they are sent back when fields are
 * added.
 */
export const searchIndex = z.looseObject({
  fields: z.array(fieldOfIndex),
  similarity: z.looseObject({ '@odata.type': z.string() }).nullish(),
  vectorSearch: z
    .looseObject({
      profiles: z.array(z.looseObject({ name: z.string(), algorithm: z.string() })).nullish(),
      algorithms: z
        .array(
          z.looseObject({
            name: z.string(),
            hnswParameters: z.looseObject({ metric: z.string().nullish() }).nullish(),
            exhaustiveKnnParameters: z.looseObject({ metric: z.string().nullish() }).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
export type SearchIndex = z.output<typeof searchIndex>;

export const indexed = z.object({
  value: z.array(
    z.object({
      key: z.string(),
      status: z.boolean(),
      statusCode: z.number(),
      errorMessage: z.string().nullish(),
    }),
  ),
});
export type Indexed = z.output<typeof indexed>['value'][number];

const point = z.object({
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
  '@search.score': z.number().positive(),
});
/** Schema of search results. Documents that Sluice did not write become `null`. */
export const found = z.object({ value: z.array(point.nullable().catch(null)) });

/** Returns the cosine similarity of a vector score, which Azure computes as 1 / (2 - cosine). */
export const toCosine = (score: number): number => 2 - 1 / score;

export const keys = z.object({ value: z.array(z.object({ id: z.string() })) });
