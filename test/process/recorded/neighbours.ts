import { createServer, type Server } from 'node:http';
import { S3Server } from '../s3-server.ts';

/** Fixed ports in recorded states, below the ephemeral port range. */
const BUCKET_PORT = 21_973;
const HOST_PORT = 21_974;

/** Name of the object and document whose answers are held back while a state is recorded. */
export const HELD = 'held.txt';

export const INVOICE = 'Invoice number: INV-77\nTotal due: 19.50 EUR – paid in Gdynia\n';
const HELD_TEXT = 'The ferry to the sandbar is called Petrel and takes forty passengers.\n';

const OBJECTS = {
  'letters/keeper.txt': 'Dear Ada, the lighthouse keeper repainted the lantern room in vermilion.',
  'letters/pilot.md': '# From the pilot\n\nThe dredger left a trench beside the eastern mole.',
  'letters/customs.txt': 'The customs house closes at noon when the herring fleet is away.',
};

/** Webhook delivery as received. */
interface Delivered {
  signature: string | undefined;
  body: string;
}

/** External systems of a recorded state: a bucket, a document host and a webhook receiver. */
export class Neighbours {
  readonly bucket = new S3Server('letters');
  /** Queue message bodies that the recorded service reports. */
  readonly messages: unknown[] = [];
  readonly delivered: Delivered[] = [];
  /** Whether the webhook receiver is available. */
  receives = true;
  /** Promise that delays held answers. */
  #held: Promise<void> | undefined;
  /** Releases held answers. */
  letGo = () => {};
  readonly #host: Server;

  constructor() {
    for (const [key, body] of Object.entries(OBJECTS)) this.bucket.put(key, body);
    this.#host = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      if (request.url === '/queue') this.messages.push(JSON.parse(body));
      if (request.url === `/${HELD}`) await this.#held;
      if (request.url === '/hook' && this.receives) {
        this.delivered.push({ signature: request.headers['svc-signature']?.toString(), body });
      }
      const status = request.url === '/hook' && !this.receives ? 503 : 200;
      const text = { '/invoice.txt': INVOICE, [`/${HELD}`]: HELD_TEXT }[request.url ?? ''];
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text ?? '');
    });
  }

  async start(): Promise<void> {
    await this.bucket.start(BUCKET_PORT);
    await new Promise<void>((resolve) => this.#host.listen(HOST_PORT, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    await this.bucket.stop();
    this.#host.closeAllConnections();
    await new Promise((resolve) => this.#host.close(resolve));
  }

  /** Adds an object. Requests for it or for the document of the same name wait. */
  hold(): void {
    this.bucket.put(`letters/${HELD}`, HELD_TEXT);
    this.#held = new Promise((resolve) => {
      this.letGo = resolve;
    });
    this.bucket.held = { carrying: HELD, until: this.#held };
  }

  at(path: string): string {
    return `http://127.0.0.1:${HOST_PORT}/${path}`;
  }
}
