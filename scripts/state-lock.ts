import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftoverProcesses } from './local-state/leftover-processes.ts';

/** Maximum length of a socket path in bytes that all supported systems accept. */
const MAX_PATH_BYTES = 100;

/**
 * Takes the lock of a state folder until this process ends. Returns false if another process holds the lock.
 * Two runtimes on the same databases would overwrite each other's changes.
 */
export async function takeState(state: string): Promise<boolean> {
  return (await acquireState(state)) !== undefined;
}

/**
 * Takes the lock of a state folder, and ends processes left running by an earlier server that was killed.
 * Returns a function that releases the lock, or `undefined` if another process holds it.
 */
export async function acquireState(state: string): Promise<(() => void) | undefined> {
  mkdirSync(state, { recursive: true });
  const release = await takeLock(state);
  if (!release) return undefined;
  const ended = await endLeftoverProcesses(state);
  if (ended > 0)
    console.log(
      `Ended ${ended === 1 ? '1 process' : `${ended} processes`} of an earlier Sluice that was killed.`,
    );
  return release;
}

/**
 * Takes the lock of an existing folder until this process ends or calls the returned function. Returns
 * `undefined` if another process holds the lock. If the holder was killed, its lock is taken over.
 */
export async function takeLock(folder: string): Promise<(() => void) | undefined> {
  const socket = getSocketPath(folder);
  const release = await tryListen(socket);
  if (release) return release;
  if (await isAnswered(socket)) return undefined;
  // Removes the socket of a process that was killed while it held the lock.
  rmSync(socket, { force: true });
  return tryListen(socket);
}

/**
 * Returns the socket path of a lock. It is inside the state folder unless that path is too long for a socket.
 */
function getSocketPath(state: string): string {
  const within = join(state, 'sluice.sock');
  if (Buffer.byteLength(within) <= MAX_PATH_BYTES) return within;
  const name = createHash('sha256').update(realpathSync(state)).digest('hex').slice(0, 32);
  return join(tmpdir(), `sluice-${name}.sock`);
}

/**
 * Listens on the socket and returns a function that closes it. Resolves to `undefined` if the socket already
 * exists. Rejects if the socket cannot be created, for example because the disk is full.
 */
function tryListen(socket: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(socket, () => resolve(() => server.close()));
    server.unref();
  });
}

function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });
}
