import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sign } from 'aws4';

export interface StoredObject {
  body: Buffer;
  modifiedAt: Date;
}

/** What the next requests meet instead of an answer. */
export interface Trouble {
  /** Chance of each request, 0 to 1. */
  chance: number;
  kinds: ('error' | 'throttle' | 'hang' | 'slow' | 'cut')[];
}

const CREDENTIALS = { accessKeyId: 'AKIDLOOPBACK', secretAccessKey: 'loopback+secret/of=tests' };

/**
 * A bucket on the loopback that speaks as much of the S3 protocol as a reader needs. It recomputes each
 * signature with an independent library and refuses what does not match, as the real service does.
 */
export class S3Server {
  readonly credentials = CREDENTIALS;
  readonly objects = new Map<string, StoredObject>();
  readonly requests: string[] = [];
  /** Keys of one listing page, so that small buckets have several. */
  pageSize = 1000;
  region = 'us-east-1';
  trouble: Trouble | undefined;
  /** Drawn for each request while there is trouble. */
  random: () => number = Math.random;
  /** Requests that carry this are answered once the promise is settled. */
  held: { carrying: string; until: Promise<unknown> } | undefined;
  /** Answered, in order, before anything else. */
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

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
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
      etag: `"${etagOf(object.body)}"`,
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
    if (!trouble || this.random() >= trouble.chance) return undefined;
    return trouble.kinds[Math.floor(this.random() * trouble.kinds.length)];
  }

  #refusal(request: IncomingMessage) {
    const given = String(request.headers.authorization ?? '');
    const match =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d+\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+)/.exec(
        given,
      );
    if (!match) return { status: 403, code: 'AccessDenied' };
    const [, accessKey, region, signedHeaders] = match as unknown as [string, string, string, string];
    if (accessKey !== CREDENTIALS.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
    if (region !== this.region) {
      const headers = { 'x-amz-bucket-region': this.region };
      return { status: 400, code: 'AuthorizationHeaderMalformed', headers };
    }
    const headers = Object.fromEntries(
      signedHeaders.split(';').map((name) => [name, String(request.headers[name])]),
    );
    const computed = sign(
      {
        service: 's3',
        region,
        method: request.method!,
        host: request.headers.host!,
        path: request.url!,
        headers,
        doNotModifyHeaders: false,
      },
      CREDENTIALS,
    );
    const signatureOf = (header: string) => /Signature=([0-9a-f]+)/.exec(header)?.[1];
    const expected = String(computed.headers?.Authorization ?? computed.headers?.authorization);
    if (signatureOf(expected) === signatureOf(given)) return undefined;
    return { status: 403, code: 'SignatureDoesNotMatch' };
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    if (query.get('list-type') !== '2') {
      error(response, 400, 'InvalidArgument');
      return;
    }
    const prefix = query.get('prefix') ?? '';
    const token = query.get('continuation-token');
    const after = token ? Buffer.from(token, 'base64').toString() : '';
    const limit = Math.min(this.pageSize, Number(query.get('max-keys') ?? 1000));
    const isEncoded = query.get('encoding-type') === 'url';
    const shown = (key: string) =>
      isEncoded ? encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/') : escapeXml(key);
    // Buffers compare as UTF-8 bytes, which is the order of the protocol.
    const all = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const keys = all.slice(0, limit);
    const isTruncated = all.length > keys.length;
    const next = isTruncated ? Buffer.from(keys.at(-1)!).toString('base64') : '';
    const contents = keys.map((key) => {
      const { body, modifiedAt } = this.objects.get(key)!;
      return `<Contents><Key>${shown(key)}</Key><LastModified>${modifiedAt.toISOString()}</LastModified>
        <ETag>&quot;${etagOf(body)}&quot;</ETag><Size>${body.length}</Size></Contents>`;
    });
    response.writeHead(200, { 'content-type': 'application/xml' }).end(
      `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
        <Name>${this.#bucket}</Name><KeyCount>${keys.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>
        ${isEncoded ? '<EncodingType>url</EncodingType>' : ''}
        ${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${contents.join('')}</ListBucketResult>`,
    );
  }
}

const etagOf = (body: Buffer) => createHash('md5').update(body).digest('hex');

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function error(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/xml', ...headers })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
