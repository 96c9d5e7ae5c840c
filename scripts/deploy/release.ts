import { readFileSync } from 'node:fs';
import { z } from 'zod';

const number = z.string().regex(/^\d+\.\d+\.\d+$/);

const releaseSchema = z.strictObject({
  release: number,
  /**
   * Oldest release that can run on the data of this release. If it is this release itself, a rollback is not
   * possible.
   */
  readableBy: number,
  /** Reason for the value of `readableBy`, which a deployment prints. */
  because: z.string().min(1),
});
export type Release = z.infer<typeof releaseSchema>;

export const readRelease = (): Release =>
  releaseSchema.parse(JSON.parse(readFileSync('release.json', 'utf8')));
