import { z } from 'zod';

/** Free metadata as clients give it: any JSON object. */
export const metadata = z.record(
  z.string(),
  z.union([
    z.record(z.string(), z.unknown()),
    z.array(z.unknown()),
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
  ]),
);
