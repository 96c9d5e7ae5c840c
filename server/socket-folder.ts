import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Maximum length of a Unix socket path in bytes that every supported system accepts. */
const MAX_PATH_BYTES = 100;
const LONGEST_NAME = 'parser-99.sock';

/**
 * Creates an empty folder for the Unix sockets between the server's processes, which only this user can
 * access. It is inside the state folder unless that path is too long for a socket.
 */
export function makeSocketFolder(stateDir: string): string {
  const folder = join(stateDir, 'sockets');
  if (Buffer.byteLength(join(folder, LONGEST_NAME)) > MAX_PATH_BYTES)
    return mkdtempSync(join(tmpdir(), 'sluice-'));
  // A server that was killed leaves its sockets behind. Nothing else uses them, because the caller holds the
  // lock of the state.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
