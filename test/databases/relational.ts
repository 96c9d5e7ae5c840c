import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Port of this server on 127.0.0.1. */
    relational: number;
  }
}

/**
 * A real PostgreSQL with pgvector, compiled to WebAssembly and reached over TCP. It has one session and checks no
 * password. Started when somebody connects: most test files need none.
 *
 * Users whose names are orders are answered by this file instead:
 * `error 28P01`: refused with that code; `silent`: never answered; `closing`: connection closed; `bytes 52…`: answered
 * with these bytes in hexadecimal; `later 54…`: let in, and answered with these bytes from then on; `hung`: let in, and
 * never answered again; `open`: refused, with how many connections to the same database are open.
 */
export default async function setup(project: TestProject) {
  const { port, stop } = await startRelational();
  project.provide('relational', port);
  return stop;
}

export async function startRelational() {
  let database: Promise<{ port: number; stop(): Promise<void> }> | undefined;
  const sockets = new Set<Socket>();
  const open = new Map<string, number>();
  const count = (name: string, by: number) => open.set(name, (open.get(name) ?? 0) + by);
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const begin = async (startup: Buffer) => {
      const user = startupValue(startup, 'user');
      const name = startupValue(startup, 'database');
      if (user === 'open') return void socket.end(refusal('55000', `${open.get(name) ?? 0} open`));
      if (disobey(socket, user)) return;
      count(name, 1);
      socket.on('close', () => count(name, -1));
      database ??= startDatabase();
      const { port } = await database;
      const behind = dial(port, '127.0.0.1').on('error', () => socket.destroy());
      socket.on('close', () => behind.destroy());
      behind.write(startup);
      behind.pipe(socket).pipe(behind);
    };
    socket.once('data', (first) => {
      if (first.length !== 8) return void begin(first as Buffer);
      socket.once('data', (startup) => void begin(startup as Buffer));
      socket.write('N');
    });
  });
  const port = await listening(server);
  return {
    port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await (await database)?.stop();
    },
  };
}

async function startDatabase() {
  const db = await PGlite.create({ extensions: { vector } });
  const port = await freePort();
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: 100 });
  await server.start();
  return {
    port,
    async stop() {
      await server.stop();
      await db.close();
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Returns a value of a startup message, which contains length, version, and null-terminated names and values.
 */
function startupValue(startup: Buffer, name: string): string {
  const words = startup.toString('utf8', 8).split('\0');
  return words[words.indexOf(name) + 1] ?? '';
}

const message = (type: string, ...parts: (string | Buffer)[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const refusal = (code: string, why: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${why}\0\0`);
const LET_IN = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', 'I')]);

function disobey(socket: Socket, user: string): boolean {
  const [order, told = ''] = user.split(' ');
  switch (order) {
    case 'error':
      socket.end(refusal(told, `refused for ${user}`));
      return true;
    case 'bytes':
      socket.write(Buffer.from(told, 'hex'));
      return true;
    case 'later':
      socket.on('data', () => socket.write(Buffer.from(told, 'hex')));
      socket.write(LET_IN);
      return true;
    case 'hung':
      socket.write(LET_IN);
      return true;
    case 'closing':
      socket.destroy();
      return true;
    case 'silent':
      return true;
    default:
      return false;
  }
}
