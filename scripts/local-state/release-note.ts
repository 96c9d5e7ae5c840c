import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRelease } from '../deploy/release.ts';

/** File in a state folder that names the release that used the folder last. */
export const RELEASE_NOTE = 'sluice.json';

const number = z.string().regex(/^\d+\.\d+\.\d+$/);
const noteSchema = z.object({ release: number, readableBy: number });
export type ReleaseNote = z.infer<typeof noteSchema>;

/**
 * Returns which release used a state folder last, and the lowest release that can read what that one writes. Returns
 * `undefined` if the folder does not say so.
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

/** Notes in a state folder that this release uses it now. Call this after the migrations have been applied. */
export function writeReleaseNote(state: string): void {
  const { release, readableBy } = readRelease();
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, RELEASE_NOTE), `${JSON.stringify({ release, readableBy })}\n`);
}
