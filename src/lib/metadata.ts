import { z } from 'zod';

/** Schema of metadata that clients set: any JSON object. */
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
