import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { acquireState } from '../state-lock.ts';
import { PROCESS_FOLDER } from './leftover-processes.ts';
import { StateRefused } from './refused.ts';
import { RELEASE_NOTE } from './release-note.ts';

/**
 * All names that Sluice uses at the top level of a state folder: Miniflare's files, the lock, the sockets of
 * the server's processes, the list of these processes, and the release. A folder with any other file is never
 * deleted.
 */
export const STATE_ENTRIES: readonly string[] = [
  'v3',
  'sluice.sock',
  'sockets',
  PROCESS_FOLDER,
  RELEASE_NOTE,
];

/**
 * Entries that a file system has at its root. They are allowed because a state folder may be a mounted
 * volume.
 */
const FILE_SYSTEM_ENTRIES = ['lost+found'];

/** Folders for kinds of storage below `v3`. A folder without any of them was not written by Miniflare. */
const KINDS = ['d1', 'do', 'r2'];

/** Returns the state folder of this installation: `STATE_DIR`, or the default folder in the checkout. */
export const stateFolder = (): string => process.env.STATE_DIR || '.wrangler/state';

/**
 * Returns the names of the entries in a state folder, or an empty list if the folder is missing or empty.
 * Throws `StateRefused` if the folder contains foreign files.
 */
export function listStateEntries(state: string): string[] {
  if (!existsSync(state)) return [];
  const entries = readdirSync(state).filter((name) => !FILE_SYSTEM_ENTRIES.includes(name));
  const foreign = entries.find((name) => !STATE_ENTRIES.includes(name));
  const storage = join(state, 'v3');
  const isOwn = !entries.includes('v3') || readdirSync(storage).some((name) => KINDS.includes(name));
  if (foreign !== undefined || !isOwn) {
    const reason = foreign === undefined ? 'its subfolder v3 contains no database' : `it contains ${foreign}`;
    throw new StateRefused(
      `${state} does not look like a state folder of Sluice: ${reason}. Nothing was changed.`,
    );
  }
  return entries;
}

/**
 * Takes the lock of a state folder. Throws `StateRefused` if a service or another command uses the folder.
 */
export async function lockState(state: string): Promise<() => void> {
  const release = await acquireState(state);
  if (release) return release;
  throw new StateRefused(`The state folder ${state} is in use by a running Sluice. Stop it first.`);
}
