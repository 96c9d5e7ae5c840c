import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { LIE_HEADER, LIE_STATUS_HEADER, LIE_TYPE_HEADER, type WireLie } from './lies.ts';
import type { LossOrder } from './losses.ts';
import { type Fault, type Mount, SESSION_HEADER, type Settings, URL_HEADER } from './protocol.ts';
import { Description } from './server/description.ts';
import { tell } from './server/lying.ts';
import { serve, type Written } from './server/serve.ts';
import { Session, type Vendor } from './server/session.ts';
import { behaviours } from './vendors.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the vendor server. */
    vendors: string;
  }
}

/** Starts the server once for all test files. Each test opens its own session. */
export default async function setup(project: TestProject) {
  const { url, stop } = await startVendors();
  project.provide('vendors', url);
  return stop;
}

/** Starts one server for all vendors. Headers of a request name its session and original URL. */
export async function startVendors() {
  const vendors = new Map<string, Vendor>();
  for (const behaviour of behaviours) {
    vendors.set(behaviour.name, { behaviour, description: new Description(behaviour.name) });
  }
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    answer(request, response, sessions, vendors).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, Session>,
  vendors: ReadonlyMap<string, Vendor>,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const lie = request.headers[LIE_HEADER] as WireLie | undefined;
  if (lie !== undefined) {
    const status = Number(request.headers[LIE_STATUS_HEADER]);
    const contentType = String(request.headers[LIE_TYPE_HEADER]);
    return tell(lie, { status, contentType, bytes }, response);
  }
  const text = bytes.toString();
  const { [SESSION_HEADER]: sessionId, [URL_HEADER]: url, ...headers } = flat(request);
  if (url === undefined) return control(request, response, text, sessions, vendors);
  const session = sessions.get(sessionId ?? '');
  if (!session) return void response.writeHead(410).end('no such session');
  const incoming = { method: request.method!, url: new URL(url), headers, text };
  await session.during(async () => write(response, await serve(session, incoming)));
}

/**
 * Control API: `POST /` opens a session, `GET /{id}` returns its state, `POST /{id}` plans faults, `PUT
 * /{id}` changes settings, `PATCH /{id}` loses data, `DELETE /{id}` ends the session.
 */
function control(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  text: string,
  sessions: Map<string, Session>,
  vendors: ReadonlyMap<string, Vendor>,
): void {
  const id = url!.slice(1);
  if (method === 'POST' && id === '') {
    const newId = randomUUID();
    sessions.set(newId, new Session(JSON.parse(text) as Mount[], vendors));
    return void response.end(newId);
  }
  const session = sessions.get(id);
  if (!session) return void response.writeHead(404).end();
  if (method === 'POST') session.faults.push(...(JSON.parse(text) as Fault[]));
  if (method === 'PUT') {
    const held = JSON.parse(text) as Record<string, Settings>;
    for (const [vendor, settings] of Object.entries(held)) session.hold(vendor, settings);
  }
  if (method === 'PATCH') session.losses.obey(JSON.parse(text) as LossOrder);
  if (method === 'DELETE') sessions.delete(id);
  response.end(JSON.stringify(session.state));
}

/** Sends a response. Resolves when it is sent or the client has disconnected. */
async function write(response: ServerResponse, { status, headers, bytes, end }: Written): Promise<void> {
  const done = new Promise<void>((resolve) => response.once('close', resolve));
  const half = bytes.subarray(0, bytes.length >> 1);
  if (end !== 'silence')
    response.writeHead(status, end ? headers : { ...headers, 'content-length': bytes.length });
  if (end === 'silence within') response.write(half);
  if (end === 'cut') response.write(half, () => response.destroy());
  if (end === undefined) response.end(bytes);
  await done;
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value!]),
  );
}
