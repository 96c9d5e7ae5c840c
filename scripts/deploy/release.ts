import { readFileSync } from 'node:fs';
import { z } from 'zod';

const number = z.string().regex(/^\d+\.\d+\.\d+$/);

/** What release.json says. */
const releaseSchema = z.strictObject({
  release: number,
  /** The lowest release that runs on what this one has written. Its own number closes the way back. */
  readableBy: number,
  /** Said with it at a deployment. */
  because: z.string().min(1),
});
export type Release = z.infer<typeof releaseSchema>;

export const readRelease = (): Release =>
  releaseSchema.parse(JSON.parse(readFileSync('release.json', 'utf8')));
