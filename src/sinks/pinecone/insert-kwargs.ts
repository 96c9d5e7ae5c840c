import { z } from 'zod';
import { knownOf, kwargs } from '#src/sinks/external/kwargs.ts';

/** The vendor's own. */
const MOST = 1_000;
const known = z.object({ batch_size: z.int().min(1).max(MOST) });

/** What of the arguments of the vendor's `upsert` means something here. Others are kept and change nothing. */
export const insertKwargs = kwargs(known, {
  description: 'Arguments of the vendor’s `upsert`: `batch_size`, of records that one call carries at most.',
  instead: 'Records are written over HTTP',
});

export const batchSizeOf = (given: Record<string, unknown> | null | undefined): number =>
  knownOf(known, given).batch_size ?? MOST;
