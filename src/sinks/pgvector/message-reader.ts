/**
 * Thrown if the server sends data that violates the PostgreSQL protocol or exceeds a limit. The connection is
 * then closed.
 */
export class ProtocolError extends Error {
  override readonly name = 'BadFrame';
}

/** Maximum size in bytes of all responses to one request. Ten thousand found points take about a megabyte. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ROWS = 50_000;
const HEADER = 5;
/** Types of messages that a server sends to a client that uses neither COPY nor cursors. */
const EXPECTED = new Set('RSKZTDC12tnENAI');
const CLEARTEXT = 3;
const AUTHENTICATIONS = new Set([0, CLEARTEXT, 5, 10, 11, 12]);
/** Maximum number of SCRAM iterations, set by the runtime's key derivation. */
const MAX_ITERATIONS = 100_000;

/**
 * Splits a server's data into complete messages and validates them. The client library trusts the server.
 * Invalid messages would make it wait forever or throw errors that nobody can catch.
 */
export class MessageReader {
  #pieces: Buffer[] = [];
  #held = 0;
  #bytes = 0;
  #rows = 0;
  readonly #isSecure: boolean;

  /**
   * Creates a reader for the data of a PostgreSQL server. `isSecure` is true if the connection is encrypted,
   * so that a clear-text password may be sent.
   */
  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /** Resets the counters of received data, because the client has sent a new request. */
  restart(): void {
    this.#bytes = 0;
    this.#rows = 0;
  }

  *messages(piece: Uint8Array): Generator<Buffer> {
    this.#bytes += piece.byteLength;
    if (this.#bytes > MAX_BYTES) throw new ProtocolError(`sent more than ${MAX_BYTES} bytes at once`);
    this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    this.#held += piece.byteLength;
    if (this.#held < this.#needed()) return;
    let held = Buffer.concat(this.#pieces);
    while (held.length >= HEADER && held.length > held.readUInt32BE(1)) {
      const message = held.subarray(0, held.readUInt32BE(1) + 1);
      this.#check(message);
      held = held.subarray(message.length);
      yield message;
    }
    this.#pieces = [held];
    this.#held = held.length;
    this.#needed();
  }

  #needed(): number {
    let first = this.#pieces[0]!;
    if (first.length < HEADER && this.#held >= HEADER) {
      first = Buffer.concat(this.#pieces);
      this.#pieces = [first];
    }
    if (first.length < HEADER) return HEADER;
    const length = first.readUInt32BE(1);
    if (length < 4 || length > MAX_BYTES)
      throw new ProtocolError('does not answer in the PostgreSQL protocol');
    return length + 1;
  }

  #check(message: Buffer): void {
    const type = String.fromCharCode(message[0]!);
    if (message.readUInt32BE(1) < 4 || !EXPECTED.has(type)) {
      throw new ProtocolError('does not answer in the PostgreSQL protocol');
    }
    if (type === 'T') checkColumns(message);
    if (type === 'R') checkAuthentication(message, this.#isSecure);
    if (type === 'D' && ++this.#rows > MAX_ROWS) throw new ProtocolError(`sent more than ${MAX_ROWS} rows`);
  }
}

/** Checks that each column of a row description has a zero-terminated name, followed by 18 bytes. */
function checkColumns(message: Buffer): void {
  if (message.length < 7) throw new ProtocolError('sent an invalid row description');
  let at = 7;
  for (let left = message.readUInt16BE(5); left > 0; left--) {
    const end = message.indexOf(0, at);
    at = end + 19;
    if (end < 0 || at > message.length) throw new ProtocolError('sent an invalid row description');
  }
}

function checkAuthentication(message: Buffer, isSecure: boolean): void {
  const kind = message.length < 9 ? -1 : message.readUInt32BE(5);
  if (!AUTHENTICATIONS.has(kind)) throw new ProtocolError('requires an unsupported authentication method');
  if (kind === CLEARTEXT && !isSecure) {
    throw new ProtocolError('requires the password in clear text without TLS');
  }
  const rest = message.toString('latin1', 9);
  if (kind === 10 && !rest.split('\0').includes('SCRAM-SHA-256')) {
    throw new ProtocolError('requires an unsupported authentication method');
  }
  if (kind === 11) {
    const iterations = Number(/^r=[^,]+,s=[A-Za-z\d+/]+=*,i=(\d{1,7})(?:,|$)/.exec(rest)?.[1]);
    if (!(iterations >= 1 && iterations <= MAX_ITERATIONS)) {
      throw new ProtocolError('sent an unsupported authentication challenge');
    }
  }
}
