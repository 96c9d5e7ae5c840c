import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buildRefusal, errorXml, listingXml } from '#test/support/s3-protocol.ts';

export interface StoredObject {
  body: Buffer;
  modifiedAt: Date;
}

/** Fault that requests can meet. */
export interface Trouble {
  /** Probability per request, from 0 to 1. */
  chance: number;
  kinds: ('error' | 'throttle' | 'hang' | 'slow' | 'cut')[];
  /** Maximum number of affected requests. Unlimited if omitted. */
  times?: number;
}

const CREDENTIALS = { accessKeyId: 'AKIDLOOPBACK', secretAccessKey: 'loopback+secret/of=tests' };

/** S3 bucket on localhost. It verifies each signature with an independent library. */
export class S3Server {
  readonly credentials = CREDENTIALS;
  readonly objects = new Map<string, StoredObject>();
  readonly requests: string[] = [];
  /** Number of keys per listing page. */
  pageSize = 1000;
  region = 'us-east-1';
  trouble: Trouble | undefined;
  /** Random source for faults. */
  random: () => number = Math.random;
  /** Requests whose URL contains `carrying` wait for the promise. */
  held: { carrying: string; until: Promise<unknown> } | undefined;
  /** Answers of the next requests, in order. */
  readonly scripted: { status: number; headers?: Record<string, string>; body?: string }[] = [];
  readonly #bucket: string;
  readonly #server: Server;

  constructor(bucket: string) {
    this.#bucket = bucket;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  /** Starts the server on the given port, or on a free one. */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  put(key: string, body: string | Buffer): void {
    this.objects.set(key, { body: Buffer.from(body), modifiedAt: new Date() });
  }

  rename(from: string, to: string): void {
    this.objects.set(to, this.objects.get(from)!);
    this.objects.delete(from);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    if (this.held && request.url!.includes(this.held.carrying)) await this.held.until;
    const scripted = this.scripted.shift();
    if (scripted) {
      response.writeHead(scripted.status, scripted.headers).end(scripted.body ?? '');
      return;
    }
    const refusal = this.#refusal(request);
    if (refusal) return error(response, refusal.status, refusal.code, refusal.headers);
    const url = new URL(request.url!, this.url);
    const path = decodeURIComponent(url.pathname);
    if (!path.startsWith(`/${this.#bucket}/`)) return error(response, 404, 'NoSuchBucket');
    const key = path.slice(this.#bucket.length + 2);
    const kind = this.#drawTrouble();
    if (kind === 'error') return error(response, 503, 'ServiceUnavailable');
    if (kind === 'throttle') return error(response, 429, 'SlowDown', { 'retry-after': '1' });
    if (kind === 'hang') return;
    if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, 1500));
    if (key === '') return this.#list(url.searchParams, response);
    const object = this.objects.get(key);
    if (!object) return error(response, 404, 'NoSuchKey');
    response.writeHead(200, {
      etag: `"${computeEtag(object.body)}"`,
      'content-length': object.body.length,
      'content-type': 'application/octet-stream',
    });
    if (kind === 'cut') {
      response.write(object.body.subarray(0, object.body.length >> 1), () => response.destroy());
      return;
    }
    response.end(object.body);
  }

  #drawTrouble(): Trouble['kinds'][number] | undefined {
    const { trouble } = this;
    if (!trouble || trouble.times === 0 || this.random() >= trouble.chance) return undefined;
    if (trouble.times !== undefined) trouble.times -= 1;
    return trouble.kinds[Math.floor(this.random() * trouble.kinds.length)];
  }

  #refusal(request: IncomingMessage) {
    const { headers, method, url } = request;
    return buildRefusal(
      { method: method!, path: url!, host: headers.host!, headers },
      this.region,
      CREDENTIALS,
    );
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    if (query.get('list-type') !== '2') {
      error(response, 400, 'InvalidArgument');
      return;
    }
    const objects = [...this.objects].map(([key, { body, modifiedAt }]) => ({
      key,
      etag: computeEtag(body),
      size: body.length,
      modifiedAt: modifiedAt.toISOString(),
    }));
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(listingXml(this.#bucket, objects, query, this.pageSize));
  }
}

const computeEtag = (body: Buffer) => createHash('md5').update(body).digest('hex');

function error(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(errorXml(code));
}
