import { z } from 'zod';
import { createKwargsField, pickKnown } from '#src/sinks/external/kwargs.ts';

/** Maximum number of records per upsert, set by Pinecone. */
const MAX_BATCH_SIZE = 1_000;
const known = z.object({ batch_size: z.int().min(1).max(MAX_BATCH_SIZE) });

/** Arguments of Pinecone's `upsert` that have an effect here. Other arguments are stored and ignored. */
export const insertKwargs = createKwargsField(known, {
  description:
    'Arguments of `upsert` in the client library. Only `batch_size`, the maximum number of records per call, has an effect.',
  instead: 'Records are written over HTTP',
});

export const getBatchSize = (given: Record<string, unknown> | null | undefined): number =>
  pickKnown(known, given).batch_size ?? MAX_BATCH_SIZE;
