import { EventEmitter } from 'node:events';
import type { SinkDeps } from '#src/ports/sink.ts';
import { type GuardedHost, guardHost } from '#src/upstream/address-guard.ts';
import { BadFrame, Frames } from './frames.ts';

/** Asks whether the server speaks TLS: length and code, as the protocol has them. */
const TLS_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = 83;
const NO = 78;

interface Target {
  host: string;
  port: number;
  settings: Pick<SinkDeps['settings'], 'ALLOW_PRIVATE_ADDRESSES'>;
}

/**
 * A socket to a server, as the client library wants one: checked address, TLS, whole messages. Between public addresses
 * there is no connection without TLS, whose certificate the runtime checks for the host's name. Where private ones are
 * allowed, TLS is used when the server offers it.
 */
export async function openChannel({ host, port, settings }: Target): Promise<Channel> {
  const guarded = await guardHost(host, settings);
  // Only workerd has this module; whoever merely reads the settings may run elsewhere.
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
    return await negotiated(socket, guarded);
  } catch (error) {
    void socket.close().catch(() => {});
    throw error;
  }
}

/** Asks for TLS, and answers with the channel behind it. */
export async function negotiated(socket: Socket, { name, isPublic }: GuardedHost): Promise<Channel> {
  const writer = socket.writable.getWriter();
  const reader = socket.readable.getReader();
  await writer.write(TLS_REQUEST);
  const { value } = await reader.read();
  const answer: Uint8Array = value ?? new Uint8Array();
  // More than one byte would be taken for something that came after the TLS handshake.
  if (answer.length !== 1 || (answer[0] !== YES && answer[0] !== NO)) {
    throw new BadFrame('does not speak the protocol of this store');
  }
  writer.releaseLock();
  reader.releaseLock();
  if (answer[0] === NO) {
    if (isPublic) throw new BadFrame('does not offer TLS, without which no password is sent');
    return new Channel(socket, false);
  }
  const secured = socket.startTls({ expectedServerHostname: name });
  secured.closed.catch(() => {});
  try {
    await secured.opened;
  } catch (cause) {
    throw new BadFrame(`has no certificate for ${name} that is trusted here, or broke off the handshake`, {
      cause,
    });
  }
  return new Channel(secured, true);
}

/** The events and methods of a Node socket that the client library uses. */
export class Channel extends EventEmitter {
  readyState: 'open' | 'closed' = 'open';
  readonly #socket: Socket;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #frames: Frames;

  constructor(socket: Socket, isSecure: boolean) {
    super();
    this.#socket = socket;
    this.#writer = socket.writable.getWriter();
    this.#frames = new Frames(isSecure);
    // The library listens once it has this object.
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

  /** The error first: without one the library would connect again and again. */
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
