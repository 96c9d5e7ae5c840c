import { z } from 'zod';

// Response schemas of the Pinecone API. They contain only the fields that Sluice reads.

const fields = z.record(z.string(), z.unknown());
const withSchema = z.object({ schema: z.object({ fields }).nullish() });

export const index = z.object({
  name: z.string(),
  dimension: z.number().nullish(),
  metric: z.string(),
  host: z.string(),
  vector_type: z.string().nullish(),
  status: z.object({ ready: z.boolean(), state: z.string() }),
  spec: z.object({
    serverless: withSchema.nullish(),
    byoc: withSchema.nullish(),
    pod: z
      .object({ metadata_config: z.object({ indexed: z.array(z.string()).nullish() }).nullish() })
      .nullish(),
  }),
});
export type Index = z.output<typeof index>;

/**
 * Response to an update or delete. A response that contains `error` or `code` means that the request failed.
 */
export const accepted = z.looseObject({}).refine((answer) => !('error' in answer) && !('code' in answer));

export const upserted = z.object({ upsertedCount: z.number() });

const metadata = z.record(z.string(), z.unknown()).nullish().catch(null);

/** Search result. A malformed result becomes `null`, so that it does not fail the whole query. */
const match = z.object({ id: z.string(), score: z.number(), metadata }).nullable().catch(null);

export const found = z.object({ matches: z.array(match) });

export const fetched = z.object({ vectors: z.record(z.string(), z.object({ metadata })) });
