import { createServer, type Server } from 'node:http';
import { S3Server } from '../s3-server.ts';

/**
 * Ports of this machine that a recorded state names for ever; below those that systems give out by themselves.
 */
const BUCKET_PORT = 21_973;
const HOST_PORT = 21_974;

/** What the held object and document say, which a state is recorded in the middle of. */
export const HELD = 'held.txt';

export const INVOICE = 'Invoice number: INV-77\nTotal due: 19.50 EUR – paid in Gdynia\n';
const HELD_TEXT = 'The ferry to the sandbar is called Petrel and takes forty passengers.\n';

const OBJECTS = {
  'letters/keeper.txt': 'Dear Ada, the lighthouse keeper repainted the lantern room in vermilion.',
  'letters/pilot.md': '# From the pilot\n\nThe dredger left a trench beside the eastern mole.',
  'letters/customs.txt': 'The customs house closes at noon when the herring fleet is away.',
};

/** A delivery of a webhook, as it arrived. */
interface Delivered {
  signature: string | undefined;
  body: string;
}

/** The systems of others that a recorded state speaks of: a bucket, a host of documents, a receiver of webhooks. */
export class Neighbours {
  readonly bucket = new S3Server('letters');
  /** Bodies of queue messages, where the recorded service tells them. */
  readonly messages: unknown[] = [];
  readonly delivered: Delivered[] = [];
  /** Whether the receiver of webhooks is there. */
  receives = true;
  /** Answers for what is held wait for it. */
  #held: Promise<void> | undefined;
  /** Has them go out. */
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

  /** There is one more object, and whoever asks for it or for the document of that name waits. */
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
