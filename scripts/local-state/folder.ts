import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { holdState } from '../state-lock.ts';
import { PROCESS_FOLDER } from './leftover-processes.ts';
import { StateRefused } from './refused.ts';
import { RELEASE_NOTE } from './release-note.ts';

/**
 * Names of everything that Sluice keeps at the top of a state folder: Miniflare's files, the lock, the sockets between
 * the server's processes, the list of these processes, and the release. A folder with anything else in it is never deleted.
 */
export const STATE_ENTRIES: readonly string[] = [
  'v3',
  'sluice.sock',
  'sockets',
  PROCESS_FOLDER,
  RELEASE_NOTE,
];

/** Found at the top of a file system of its own, which a state folder may be. */
const FILE_SYSTEM_ENTRIES = ['lost+found'];

/** Kinds of storage below `v3`. A folder without any of them was not written by Miniflare. */
const KINDS = ['d1', 'do', 'r2'];

/** Returns the state folder of this installation: `STATE_DIR`, or the usual place in the checkout. */
export const stateFolder = (): string => process.env.STATE_DIR || '.wrangler/state';

/**
 * Returns the names of what a state folder holds. The list is empty if the folder is absent or empty. Throws
 * `StateRefused` if the folder holds anything that is not Sluice's.
 */
export function listStateEntries(state: string): string[] {
  if (!existsSync(state)) return [];
  const entries = readdirSync(state).filter((name) => !FILE_SYSTEM_ENTRIES.includes(name));
  const foreign = entries.find((name) => !STATE_ENTRIES.includes(name));
  const storage = join(state, 'v3');
  const isOwn = !entries.includes('v3') || readdirSync(storage).some((name) => KINDS.includes(name));
  if (foreign !== undefined || !isOwn) {
    const reason = foreign === undefined ? 'its folder v3 has no database' : `it contains ${foreign}`;
    throw new StateRefused(
      `${state} does not look like a state folder of Sluice: ${reason}. Nothing was changed.`,
    );
  }
  return entries;
}

/** Takes the lock of a state folder. Throws `StateRefused` while a service or another command uses the folder. */
export async function lockState(state: string): Promise<() => void> {
  const release = await holdState(state);
  if (release) return release;
  throw new StateRefused(`The state in ${state} is in use by a running Sluice. Stop it first.`);
}
