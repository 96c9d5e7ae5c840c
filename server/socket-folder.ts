import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest path of a Unix socket that every supported system takes, in bytes. */
const LONGEST_PATH = 100;
const LONGEST_NAME = 'parser-99.sock';

/**
 * Makes an empty folder for the sockets between the server's processes, which only this user can enter. It lies in the
 * state folder unless that path is too long for a socket.
 */
export function makeSocketFolder(stateDir: string): string {
  const folder = join(stateDir, 'sockets');
  if (Buffer.byteLength(join(folder, LONGEST_NAME)) > LONGEST_PATH)
    return mkdtempSync(join(tmpdir(), 'sluice-'));
  // A server that was killed leaves its sockets behind. The caller holds the lock of the state.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
