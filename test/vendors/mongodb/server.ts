import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Document } from 'mongodb';
import type { TestProject } from 'vitest/node';
import { LossyStore } from '../losses.ts';
import type { Database } from './commands.ts';
import { Connection } from './connection.ts';
import type { MongoFault, MongoPlan } from './protocol.ts';

interface TestDatabase extends Database {
  faults: MongoFault[];
  losses: LossyStore;
  seen: Document[];
}

/** Replica set of two members with shared data: a primary, and a secondary that accepts no commands. */
export class MongoServer {
  readonly #databases = new Map<string, TestDatabase>();
  readonly #connections = new Map<Socket, Connection>();
  /** Messages that no driver should send. */
  readonly mistakes: string[] = [];
  /** First TLS messages of clients, which contain the requested host name in plain text. */
  readonly hellos: string[] = [];
  hosts: [string, string] = ['', ''];

  database(name: string): TestDatabase {
    const known = this.#databases.get(name) ?? emptyDatabase();
    this.#databases.set(name, known);
    return known;
  }

  membership(isPrimary: boolean): { host: string; others: string[] } {
    const [primary, secondary] = this.hosts;
    return isPrimary ? { host: primary, others: [secondary] } : { host: secondary, others: [primary] };
  }

  accept(socket: Socket, isPrimary: boolean): void {
    this.#connections.set(socket, new Connection(socket, this, isPrimary));
    socket.on('close', () => this.#connections.delete(socket));
  }

  /**
   * Control API: `PUT /{database}` plans faults, `GET /{database}` returns the state, `GET /hellos` returns
   * TLS greetings.
   */
  async control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = decodeURIComponent(request.url!.slice(1));
    if (name === 'hellos') return void response.end(JSON.stringify(this.hellos));
    const database = this.database(name);
    if (request.method === 'PUT') {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const {
        faults = [],
        building,
        unseen,
        behind,
        lose,
      } = JSON.parse(Buffer.concat(parts).toString()) as MongoPlan;
      database.faults.push(...faults);
      database.building = building ?? database.building;
      database.unseen = unseen ?? database.unseen;
      database.behind = behind ?? database.behind;
      if (lose) database.losses.obey(lose);
    }
    const open = [...this.#connections.values()].filter(({ appName }) => appName === name).length;
    const { seen } = database;
    response.end(JSON.stringify({ seen: seen.slice(-200), open, mistakes: this.mistakes }));
  }

  close(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }
}

function emptyDatabase(): TestDatabase {
  const collections: Database['collections'] = new Map();
  return { collections, building: 0, unseen: 0, faults: [], losses: new LossyStore(collections), seen: [] };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export default async function setup(project: TestProject) {
  const mongo = new MongoServer();
  const quiet = new Set<Socket>();
  const servers = [
    createServer((socket) => mongo.accept(socket, true)),
    createServer((socket) => mongo.accept(socket, false)),
    createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', (hello) => {
          mongo.hellos.push(hello.toString('latin1'));
          socket.destroy();
        });
    }),
    createServer((socket) => quiet.add(socket.on('error', () => {}))),
    createHttp((request, response) => void mongo.control(request, response)),
  ] as const;
  const [primary, secondary, tls, silent, control] = await Promise.all(servers.map(listening));
  mongo.hosts = [primary!, secondary!];
  project.provide('mongodb', {
    ...{ primary: primary!, secondary: secondary!, tls: tls!, silent: silent! },
    control: `http://${control}`,
  });
  return () => {
    mongo.close();
    for (const socket of quiet) socket.destroy();
    for (const server of servers) server.close();
  };
}
