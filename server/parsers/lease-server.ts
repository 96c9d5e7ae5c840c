import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CallRequest, ParserPool, PoolLease } from './parser-pool.ts';

/**
 * Answers the requests of the parser-pool Worker:
 * - `POST /leases` waits for a process and answers with a line `{ id, slot }`. The response stays open while
 * the lease
 * lasts. If the process is stopped, a last line `{ stopped, message }` gives the reason. If the Worker closes
 * the
 *   connection without a `done`, the process is stopped, because its state is unknown.
 * - `POST /leases/ID/done` ends the lease.
 * - `POST /leases/ID/silent` stops the process.
 */
export class LeaseServer {
  readonly #pool: ParserPool;
  readonly #open = new Map<string, { lease: PoolLease; response: ServerResponse }>();

  constructor(pool: ParserPool) {
    this.#pool = pool;
  }

  readonly handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, , id, action] = new URL(request.url ?? '/', 'http://supervisor').pathname.split('/');
    if (id === undefined) return this.#grant(request, response);
    const open = this.#open.get(id);
    if (action === 'done') {
      this.#open.delete(id);
      open?.lease.finish();
      open?.response.end();
    } else await open?.lease.stop('silent');
    response.writeHead(204).end();
  };

  async #grant(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const callRequest = JSON.parse(await text(request)) as CallRequest;
    const callerGone = new AbortController();
    response.once('close', () => callerGone.abort(new Error('the caller disconnected')));
    const lease = await this.#pool.lease(callRequest, callerGone.signal).catch((error: unknown) => {
      if (!callerGone.signal.aborted) response.writeHead(503).end(String(error));
      return undefined;
    });
    if (!lease) return;
    const id = crypto.randomUUID();
    this.#open.set(id, { lease, response });
    const abandon = async () => {
      if (this.#open.delete(id)) await lease.stop('abandoned');
    };
    if (callerGone.signal.aborted) return abandon();
    response.once('close', () => void abandon());
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ id, slot: lease.slot })}\n`);
    const { reason, message } = await lease.stopped;
    this.#open.delete(id);
    response.end(`${JSON.stringify({ stopped: reason, message })}\n`);
  }
}
