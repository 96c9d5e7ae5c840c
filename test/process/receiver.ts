import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** HTTP server on localhost that records request bytes. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  url = '';

  /** `answer` returns status and headers for the n-th request to a path, counted from 1. */
  constructor(answer: (path: string, n: number, body: Buffer) => Reply) {
    this.#server = createServer(async (request, response) => {
      const body = await readBytes(request);
      const path = request.url ?? '';
      this.received.push({ path, headers: request.headers, body });
      const n = this.received.filter((each) => each.path === path).length;
      const { status, headers = {}, text = '' } = answer(path, n, body);
      response.writeHead(status, headers).end(text);
    });
  }

  /** Starts the server on the given port, or on a free one. */
  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }
}

/** Returns a path of its own, such as `/hook-0b6e…`, so that a repeated test finds only its own requests. */
export const uniquePath = (name: string) => `/${name}-${crypto.randomUUID()}`;

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  text?: string;
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
