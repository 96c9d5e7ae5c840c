import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRelease } from '../deploy/release.ts';

/** File in a state folder that names the release that last used the folder. */
export const RELEASE_NOTE = 'sluice.json';

const number = z.string().regex(/^\d+\.\d+\.\d+$/);
const noteSchema = z.object({ release: number, readableBy: number });
export type ReleaseNote = z.infer<typeof noteSchema>;

/**
 * Returns the release that last used a state folder, and the oldest release that can read its data. Returns
 * `undefined` if the folder does not record this.
 */
export function readReleaseNote(state: string): ReleaseNote | undefined {
  const file = join(state, RELEASE_NOTE);
  if (!existsSync(file)) return undefined;
  try {
    return noteSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Records that this release uses a state folder. Must be called after the migrations have been applied. */
export function writeReleaseNote(state: string): void {
  const { release, readableBy } = readRelease();
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, RELEASE_NOTE), `${JSON.stringify({ release, readableBy })}\n`);
}
