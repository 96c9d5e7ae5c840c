import { EventEmitter } from 'node:events';
import type { SinkDeps } from '#src/ports/sink.ts';
import { type GuardedHost, guardHost } from '#src/upstream/address-guard.ts';
import { MessageReader, ProtocolError } from './message-reader.ts';

/** SSLRequest message of the PostgreSQL protocol, which asks whether the server supports TLS. */
const TLS_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = 83;
const NO = 78;

interface Target {
  host: string;
  port: number;
  settings: Pick<SinkDeps['settings'], 'ALLOW_PRIVATE_ADDRESSES'>;
}

/**
 * Opens a socket to a PostgreSQL server for the client library. Public addresses are verified and require
 * TLS. If private addresses are allowed, TLS is used only if the server offers it.
 */
export async function openChannel({ host, port, settings }: Target): Promise<Channel> {
  const guarded = await guardHost(host, settings);
  // The module `cloudflare:sockets` exists only in Cloudflare's runtime. It is imported on use, so that code
  // which only reads settings can run elsewhere.
  const { connect } = await import('cloudflare:sockets');
  const socket = connect(
    { hostname: guarded.addresses[0]!, port },
    {
      secureTransport: 'starttls',
      allowHalfOpen: false,
    },
  );
  socket.closed.catch(() => {});
  try {
    await socket.opened;
    return await negotiateTls(socket, guarded);
  } catch (error) {
    void socket.close().catch(() => {});
    throw error;
  }
}

export async function negotiateTls(socket: Socket, { name, isPublic }: GuardedHost): Promise<Channel> {
  const writer = socket.writable.getWriter();
  const reader = socket.readable.getReader();
  await writer.write(TLS_REQUEST);
  const { value } = await reader.read();
  const answer: Uint8Array = value ?? new Uint8Array();
  // Longer responses are rejected, because an attacker could add plain text that would be mistaken for
  // encrypted data.
  if (answer.length !== 1 || (answer[0] !== YES && answer[0] !== NO)) {
    throw new ProtocolError('does not answer in the PostgreSQL protocol');
  }
  writer.releaseLock();
  reader.releaseLock();
  if (answer[0] === NO) {
    if (isPublic) throw new ProtocolError('does not offer TLS, which is required for public addresses');
    return new Channel(socket, false);
  }
  const secured = socket.startTls({ expectedServerHostname: name });
  secured.closed.catch(() => {});
  try {
    await secured.opened;
  } catch (cause) {
    throw new ProtocolError(`has no trusted certificate for ${name}, or aborted the TLS handshake`, {
      cause,
    });
  }
  return new Channel(secured, true);
}

/** Socket with those events and methods of a Node.js socket that the client library uses. */
export class Channel extends EventEmitter {
  readyState: 'open' | 'closed' = 'open';
  readonly #socket: Socket;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #frames: MessageReader;

  constructor(socket: Socket, isSecure: boolean) {
    super();
    this.#socket = socket;
    this.#writer = socket.writable.getWriter();
    this.#frames = new MessageReader(isSecure);
    // Reading starts later, because the client library attaches its listeners only after it has received the
    // socket.
    queueMicrotask(() => void this.#read());
  }

  write(data: Uint8Array, done?: () => void): boolean {
    this.#frames.restart();
    this.#writer.write(data).then(done, (error: unknown) => this.#fail(error));
    return true;
  }

  end(data?: Uint8Array): void {
    const sent = data ? this.#writer.write(data) : Promise.resolve();
    void sent.catch(() => {}).then(() => this.#close());
  }

  destroy(): void {
    this.#close();
  }

  async #read(): Promise<void> {
    try {
      for await (const piece of this.#socket.readable as ReadableStream<Uint8Array>) {
        for (const message of this.#frames.messages(piece)) this.emit('data', message);
      }
      this.#fail(new Error('connection closed'));
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * An error is emitted before the close event, because without an error the client library would reconnect
   * forever.
   */
  #fail(error: unknown): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    if (this.listenerCount('error') > 0) this.emit('error', error);
    this.emit('close', true);
    void this.#socket.close().catch(() => {});
  }

  #close(): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    this.emit('close', false);
    void this.#socket.close().catch(() => {});
  }
}
