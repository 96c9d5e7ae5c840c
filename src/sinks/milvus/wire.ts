import { z } from 'zod';

// What the vendor's API answers, as far as it is read.

/** Failures come with status 200 too: `code` is 0 where there is none. */
export const envelope = z.object({
  code: z.number(),
  message: z.string().nullish().catch(null),
  data: z.unknown().optional(),
});

export const anything = z.unknown();

/** How many entities a call has written. */
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

/** The vendor writes 64-bit integers as texts, unless it is asked not to. */
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
/** A match that is none, whatever it looks like, is left out. */
export const found = z.array(match.nullable().catch(null));

/** The vendor writes fields of JSON as texts of it. */
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

/** Whole entities, to be written again. */
export const entities = z.array(
  z.looseObject({ id: z.string(), version: integer, position: integer, pages: json }),
);

/** Entities that were looked up by their ids. */
export const keys = z.array(z.object({ id: z.string() }));
