import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes; systems differ. */
const LONGEST_NAME = 100;

/**
 * Keeps a place of state for this process until it ends, however it ends; false when another one has it. Two
 * runtimes over the same databases would each write what the other does not know of.
 */
export async function takeState(state: string): Promise<boolean> {
  return (await holdState(state)) !== undefined;
}

/** The same, until it is given back by what this answers; undefined when another one has it. */
export async function holdState(state: string): Promise<(() => void) | undefined> {
  mkdirSync(state, { recursive: true });
  const socket = socketOf(state);
  const held = await listens(socket);
  if (held) return held;
  if (await answers(socket)) return undefined;
  // Whoever had it was killed.
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
