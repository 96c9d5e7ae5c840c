import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftoverProcesses } from './local-state/leftover-processes.ts';

/** Bytes; systems differ. */
const LONGEST_NAME = 100;

/**
 * Takes the lock of a state folder until this process ends. Returns false if another process holds the lock. Two
 * runtimes over the same databases would overwrite each other's changes.
 */
export async function takeState(state: string): Promise<boolean> {
  return (await holdState(state)) !== undefined;
}

/**
 * Takes the lock of a state folder, and ends the processes that an earlier server over the folder left running when it
 * was killed. Returns a function that releases the lock, or `undefined` if another process holds it.
 */
export async function holdState(state: string): Promise<(() => void) | undefined> {
  mkdirSync(state, { recursive: true });
  const release = await takeLock(state);
  if (!release) return undefined;
  const ended = await endLeftoverProcesses(state);
  if (ended > 0) console.log(`Ended ${ended} processes of an earlier Sluice that was killed.`);
  return release;
}

async function takeLock(state: string): Promise<(() => void) | undefined> {
  const socket = socketOf(state);
  const held = await listens(socket);
  if (held) return held;
  if (await answers(socket)) return undefined;
  // Its holder was killed.
  rmSync(socket, { force: true });
  return listens(socket);
}

/** Within the state, unless that is deeper than the name of a socket may be long. */
function socketOf(state: string): string {
  const within = join(state, 'sluice.sock');
  if (Buffer.byteLength(within) <= LONGEST_NAME) return within;
  const name = createHash('sha256').update(realpathSync(state)).digest('hex').slice(0, 32);
  return join(tmpdir(), `sluice-${name}.sock`);
}

/** Resolves to `undefined` if the socket exists already. Rejects if it cannot be made, for example on a full disk. */
function listens(socket: string): Promise<(() => void) | undefined> {
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

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });
}
