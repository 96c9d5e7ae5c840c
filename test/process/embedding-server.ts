import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Trouble } from './s3-server.ts';

/** OpenAI-compatible embedding endpoint on localhost. Vectors depend only on the text and are all similar. */
export class EmbeddingServer {
  readonly key = 'loopback-key';
  trouble: Trouble | undefined;
  random: () => number = Math.random;
  /** Requests with a matching text are never answered. */
  ignored: (text: string) => boolean = () => false;
  readonly requests: { model: string; input: string[]; dimensions?: number }[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const json = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return void json(404, {});
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return void json(401, { error: { message: 'Incorrect API key provided.' } });
    }
    const { trouble } = this;
    const kind =
      trouble && this.random() < trouble.chance
        ? trouble.kinds[Math.floor(this.random() * trouble.kinds.length)]
        : undefined;
    if (kind === 'error') return void json(500, { error: { message: 'The server had an error.' } });
    if (kind === 'throttle')
      return void json(429, { error: { message: 'Slow down.' } }, { 'retry-after': '1' });
    if (kind === 'hang') return;
    if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, 1500));
    if (kind === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"data":[', () => response.destroy());
      return;
    }
    const body = JSON.parse(Buffer.concat(parts).toString()) as (typeof this.requests)[number];
    if (body.input.some((text) => this.ignored(text))) return;
    this.requests.push(body);
    const data = body.input.map((text, index) => ({
      index,
      embedding: embedText(`${body.model} ${text}`, body.dimensions ?? 32),
    }));
    // Reverses the list, because clients must use `index` instead of the order.
    json(200, { data: data.reverse(), model: body.model });
  }
}

function embedText(text: string, dimension: number): number[] {
  const bytes = createHash('sha512').update(text).digest();
  return Array.from({ length: dimension }, (_, k) => bytes[k % bytes.length]! + 1);
}
