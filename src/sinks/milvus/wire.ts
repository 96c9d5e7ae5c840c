import { z } from 'zod';

// Response schemas of the Milvus API. They contain only the fields that Sluice reads.

/** Schema of every response. Milvus reports failures with HTTP status 200 and a `code` other than 0. */
export const envelope = z.object({
  code: z.number(),
  message: z.string().nullish().catch(null),
  data: z.unknown().optional(),
});

export const anything = z.unknown();

export const upserted = z.object({ upsertCount: z.coerce.number() });

const parameter = z.object({ key: z.string(), value: z.coerce.string() });

export const collection = z.object({
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      primaryKey: z.boolean().nullish(),
      params: z.array(parameter).nullish(),
    }),
  ),
  indexes: z.array(z.object({ fieldName: z.string(), metricType: z.string().nullish() })).nullish(),
});
export type Collection = z.output<typeof collection>;

export const loadState = z.object({ loadState: z.string(), message: z.string().nullish() });

/** Schema of an integer. Milvus sends 64-bit integers as strings by default. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

const match = z.object({
  document_id: z.string(),
  version: integer,
  position: integer,
  distance: z.number(),
});
/** Returns the cosine similarity of a distance, which may leave the range from -1 to 1 by a rounding error. */
export const toCosine = (distance: number): number => Math.max(-1, Math.min(1, distance));

/** Schema of search results. Entities in another format become `null`. */
export const found = z.array(match.nullable().catch(null));

/** Schema of a JSON field. Milvus sends its content as a string. */
const json = z.preprocess(
  (value) => {
    try {
      return typeof value === 'string' ? JSON.parse(value) : value;
    } catch {
      return undefined;
    }
  },
  z.record(z.string(), z.unknown()),
);

/** Schema of complete entities, which are read to change and rewrite them. */
export const entities = z.array(
  z.looseObject({ id: z.string(), version: integer, position: integer, pages: json }),
);

export const keys = z.array(z.object({ id: z.string() }));
