import { z } from 'zod';

// Response schemas of OpenSearch and Elasticsearch. They contain only the fields that Sluice reads.

export const clusterInfo = z.object({
  tagline: z.string().nullish(),
  version: z.object({ number: z.string(), distribution: z.string().nullish() }),
});

const text = z.string().optional().catch(undefined);
const fieldMapping = z.looseObject({
  type: text,
  analyzer: text,
  index: z.union([z.boolean(), z.string()]).optional().catch(undefined),
  doc_values: z.unknown().optional(),
  similarity: text,
  space_type: text,
  method: z.looseObject({ engine: text, space_type: text }).optional().catch(undefined),
});
export type FieldMapping = Partial<z.output<typeof fieldMapping>>;

const indexState = z.object({
  aliases: z.record(z.string(), z.unknown()).optional(),
  mappings: z.object({ properties: z.record(z.string(), fieldMapping).optional() }).optional(),
  settings: z.object({ index: z.looseObject({ knn: z.unknown().optional() }).optional() }).optional(),
});
export type IndexState = z.output<typeof indexState>;
/** Schema of the indexes that a name means, by index name. An alias means indexes of other names. */
export const indexStates = z.record(z.string(), indexState);

export const acknowledged = z.object({ acknowledged: z.boolean() });

const cause = z.object({ type: z.string().nullish(), reason: z.string().nullish() });
const itemResult = z.object({
  _id: z.string().nullish(),
  status: z.int(),
  error: cause.nullish(),
});
export type ItemResult = z.output<typeof itemResult>;
/** Schema of a bulk response: one result per action, in the order of the actions. */
export const bulkResult = z.object({
  errors: z.boolean(),
  items: z.array(z.record(z.string(), itemResult)),
});

export const deleted = z.object({
  deleted: z.int().min(0),
  version_conflicts: z.int().min(0),
  timed_out: z.boolean().nullish(),
  failures: z.array(z.object({ status: z.int().nullish().catch(null), cause: cause.nullish().catch(null) })),
});

export const looked = z.object({
  docs: z.array(z.object({ _id: z.string(), found: z.boolean().nullish(), error: cause.nullish() })),
});

export const createHitsSchema = <T>(hit: z.ZodType<T>) =>
  z.object({
    timed_out: z.boolean(),
    _shards: z.object({ failed: z.int().min(0) }),
    hits: z.object({ hits: z.array(hit) }),
  });

const point = z.object({
  _score: z.number(),
  _source: z.object({ document_id: z.string(), version: z.number(), position: z.number() }),
});
/** Schema of the points that a search found. Documents that Sluice did not write become `null`. */
export const found = createHitsSchema(point.nullable().catch(null));
/** Schema of a page of document ids, with the values by which the page is sorted. */
export const page = createHitsSchema(z.object({ _id: z.string(), sort: z.array(z.number()).length(2) }));
