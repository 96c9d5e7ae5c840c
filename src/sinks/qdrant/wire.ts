import { z } from 'zod';

// Response schemas of the Qdrant API. They contain only the fields that Sluice reads.

export const answerSchema = <T>(result: z.ZodType<T>) => z.object({ result });

const vectorParams = z.object({ size: z.number(), distance: z.string() });

export const collection = z.object({
  config: z.object({
    params: z.object({
      // Vector parameters of the collection. A collection with named vectors has one set of parameters per
      // name.
      vectors: z.union([vectorParams, z.record(z.string(), z.unknown())]).nullish(),
      sparse_vectors: z.record(z.string(), z.object({ modifier: z.string().nullish() })).nullish(),
    }),
  }),
});
export type Collection = z.output<typeof collection>;

export const isVectorParams = (value: unknown): value is z.output<typeof vectorParams> =>
  vectorParams.safeParse(value).success;

/**
 * Response to a write. The status `acknowledged` is rejected, because it means that Qdrant has not applied
 * the write yet.
 */
export const written = z.object({ status: z.literal('completed') });

export const created = z.boolean();

const payload = z.object({ document_id: z.string(), version: z.number(), position: z.number() });

/**
 * Schema of search results. Points that Sluice did not write get a `null` payload, so that they do not fail
 * the query.
 */
export const found = z.object({
  points: z.array(z.object({ score: z.number(), payload: payload.nullish().catch(null) })),
});

export const records = z.array(z.object({ id: z.string() }));
