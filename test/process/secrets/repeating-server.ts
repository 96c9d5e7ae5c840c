import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { MongoServer } from '#test/vendors/mongodb/server.ts';

/**
 * A vendor that refuses every credential, by HTTP and the protocols of PostgreSQL and MongoDB. By HTTP it repeats the
 * secrets that came with the request; the other two protocols send none.
 */
export class RepeatingServer {
  readonly #find: (text: string) => string[];
  readonly #http: HttpServer;
  readonly #postgres: Server;
  readonly #mongo: Server;
  readonly #mongoServer = new MongoServer();
  /** Secrets that arrived, by the path of the request. */
  readonly heard = new Map<string, string[]>();
  /** Whether the endpoint for embeddings answers. */
  embeds = false;

  constructor(find: (text: string) => string[]) {
    this.#find = find;
    this.#http = createHttp(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const path = request.url ?? '/';
      const found = this.#hear(path, `${path} ${JSON.stringify(request.headers)} ${body}`);
      if (this.embeds && path === '/v1/embeddings') {
        const { input } = JSON.parse(body) as { input: string[] };
        const data = input.map((_, index) => ({ index, embedding: [1, 2, 3, 4, 5, 6, 7, index] }));
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ data, model: 'm' }));
      }
      const message = `Wrong credentials: ${found.join(', ')}.`;
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message, error: { message }, errors: [{ message }] }));
    });
    this.#postgres = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      // The first message asks for TLS. Passwords never arrive: the driver sends none without TLS.
      socket.once('data', () => {
        socket.once('data', () => socket.end(postgresError('wrong password')));
        socket.write('N');
      });
    });
    this.#mongo = createServer((socket) => this.#mongoServer.accept(socket, true));
  }

  async start(): Promise<void> {
    for (const server of this.#servers) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    this.#mongoServer.hosts = [`127.0.0.1:${getPort(this.#mongo)}`, '127.0.0.1:9'];
  }

  stop(): void {
    this.#mongoServer.close();
    this.#http.closeAllConnections();
    for (const server of this.#servers) server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${getPort(this.#http)}`;
  }

  get postgresPort(): number {
    return getPort(this.#postgres);
  }

  get mongoHost(): string {
    return `127.0.0.1:${getPort(this.#mongo)}`;
  }

  get #servers(): (Server | HttpServer)[] {
    return [this.#http, this.#postgres, this.#mongo];
  }

  #hear(where: string, text: string): string[] {
    const found = this.#find(text);
    this.heard.set(where, [...(this.heard.get(where) ?? []), ...found]);
    return found;
  }
}

const getPort = (server: Server | HttpServer) => (server.address() as AddressInfo).port;

function postgresError(message: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C28P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
