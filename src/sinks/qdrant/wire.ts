import { z } from 'zod';

// What the vendor's API answers, as far as it is read.

export const answerOf = <T>(result: z.ZodType<T>) => z.object({ result });

const vectorParams = z.object({ size: z.number(), distance: z.string() });

export const collection = z.object({
  config: z.object({
    params: z.object({
      // Of a collection with named vectors a record of such.
      vectors: z.union([vectorParams, z.record(z.string(), z.unknown())]).nullish(),
    }),
  }),
});
export type Collection = z.output<typeof collection>;

export const isVectorParams = (value: unknown): value is z.output<typeof vectorParams> =>
  vectorParams.safeParse(value).success;

/** A write is done when it is `completed`; `acknowledged` would mean that it is not yet. */
export const written = z.object({ status: z.literal('completed') });

export const made = z.boolean();

const payload = z.object({ document_id: z.string(), version: z.number(), position: z.number() });

/** Points of somebody else, whatever they look like, are none of ours. */
export const found = z.object({
  points: z.array(z.object({ score: z.number(), payload: payload.nullish().catch(null) })),
});

/** Points that were looked up by their ids. */
export const records = z.array(z.object({ id: z.string() }));
