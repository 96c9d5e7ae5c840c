import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TestProject } from 'vitest/node';
import { findProblem } from './otlp-collector.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of this server. */
    loopback: string;
  }
}

/** Requests with the same `id`. */
interface Calls {
  seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[];
  /** Resolves when a client disconnects before the end of the answer. */
  left: PromiseWithResolvers<void>;
}
const calls = new Map<string, Calls>();

function getCalls(id: string): Calls {
  const known = calls.get(id) ?? { seen: [], left: Promise.withResolvers<void>() };
  calls.set(id, known);
  return known;
}

/**
 * Server that misbehaves as its path specifies. `/seen?id=` returns the requests with that id, and
 * `/left?id=` answers once one of these clients has disconnected.
 */
export default async function setup(project: TestProject) {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('loopback', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString();
  const [, failures, collected] = COLLECTOR.exec(pathname) ?? [];
  const { seen, left } = getCalls(collected ?? searchParams.get('id') ?? '');
  if (pathname === '/seen') return void response.end(JSON.stringify(seen));
  if (pathname === '/left') return void left.promise.then(() => response.end('it left'));
  response.on('close', () => response.writableFinished || left.resolve());
  const { method = '', url = '', headers } = request;
  const count = seen.push({ method, url, headers, body });
  const way = collected === undefined ? WAYS[pathname] : collect(Number(failures));
  if (!way) return void response.writeHead(404).end();
  await way({ request, response, query: searchParams, body, count });
}

/** Path of a collector that fails as often as the path says. The last part identifies its requests. */
const COLLECTOR = /^\/collector\/(\d+)\/([^/]+)\/v1\/traces$/;

const collect =
  (failures: number) =>
  ({ response, body, count }: Call) => {
    const problem = findProblem(body);
    const status = count <= failures ? 503 : problem ? 400 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(problem ?? '{}');
  };

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  body: string;
  /** Number of requests with this id, including the current one. */
  count: number;
}

/** Messages by letter. They are not in the query, because errors must not repeat query values. */
const SAYINGS: Record<string, string> = {
  b: 'busy',
  l: 'why '.repeat(2000),
  x: '<Error><Message>No such bucket.</Message></Error>',
};

const WAYS: Record<string, (call: Call) => unknown> = {
  '/ok': ({ response, query }) => response.end(query.get('say') ?? 'fine'),
  '/json': ({ response, query }) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(query.get('say')),
  '/silent': () => {},
  '/silent-body': ({ response }) => response.writeHead(200).write('first'),
  '/drip': ({ response, query }) => {
    response.statusCode = Number(query.get('status') ?? 200);
    const timer = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/cut': ({ response }) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('first', () => response.destroy());
  },
  '/big': ({ response, query }) => {
    const size = Number(query.get('size'));
    if (query.has('announced')) response.setHeader('content-length', size);
    // Sends headers before the body, so that they contain no length.
    response.flushHeaders();
    response.end(Buffer.alloc(size));
  },
  '/bomb': ({ response, query }) =>
    response
      .writeHead(Number(query.get('status') ?? 200), { 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(Number(query.get('size'))))),
  '/status': ({ response, query }) => {
    const retryAfter = query.get('retry-after');
    if (retryAfter !== null) response.setHeader('retry-after', retryAfter);
    response.writeHead(Number(query.get('status'))).end(SAYINGS[query.get('say') ?? ''] ?? '');
  },
  /** Fails with `status` for the first `times` requests. */
  '/recovers': ({ response, query, count }) =>
    response
      .writeHead(count > Number(query.get('times')) ? 200 : Number(query.get('status')), {
        ...(query.has('retry-after') && { 'retry-after': query.get('retry-after')! }),
      })
      .end('fine'),
  '/redirect': ({ response, query }) =>
    response.writeHead(Number(query.get('status') ?? 302), { location: query.get('to')! }).end('moved'),
  '/circle': ({ request, response }) => response.writeHead(302, { location: request.url! }).end(),
  /** Echoes the whole request. */
  '/echo': ({ request, response, query, body }) =>
    response.writeHead(Number(query.get('status') ?? 401), { 'content-type': 'application/json' }).end(
      JSON.stringify({
        error: { message: `No: ${JSON.stringify(request.headers)} ${request.url} ${body}` },
      }),
    ),
};
