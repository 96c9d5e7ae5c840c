/** What a server sends that is no answer of this protocol, or none that fits. Ends the connection. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** Of the answer to one message: ten thousand found points take about a megabyte. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_ROWS = 50_000;
const HEADER = 5;
/** Messages of a server to a client that copies nothing and opens no cursor. */
const EXPECTED = new Set('RSKZTDC12tnENAI');
/** Of an authentication message: what it asks for. */
const CLEARTEXT = 3;
const AUTHENTICATIONS = new Set([0, CLEARTEXT, 5, 10, 11, 12]);
/** The runtime derives no key with more. */
const MOST_ITERATIONS = 100_000;

/**
 * Cuts what a server sends into whole messages. The client library behind it trusts the server: it waits without end for
 * what a message does not have, and throws where nobody catches. So what it could not take is refused here.
 */
export class Frames {
  #pieces: Buffer[] = [];
  #held = 0;
  #bytes = 0;
  #rows = 0;
  readonly #isSecure: boolean;

  /** `isSecure`: nobody between can read, so that a password may be sent as it is. */
  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /** The client has asked for something else: what comes from now on is the answer to that. */
  restart(): void {
    this.#bytes = 0;
    this.#rows = 0;
  }

  *messages(piece: Uint8Array): Generator<Buffer> {
    this.#bytes += piece.byteLength;
    if (this.#bytes > MOST_BYTES) throw new BadFrame(`sent more than ${MOST_BYTES} bytes at once`);
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

  /** Bytes that are held once the next message is whole. */
  #needed(): number {
    let first = this.#pieces[0]!;
    if (first.length < HEADER && this.#held >= HEADER) {
      first = Buffer.concat(this.#pieces);
      this.#pieces = [first];
    }
    if (first.length < HEADER) return HEADER;
    const length = first.readUInt32BE(1);
    if (length < 4 || length > MOST_BYTES) throw new BadFrame('does not speak the protocol of this store');
    return length + 1;
  }

  #check(message: Buffer): void {
    const type = String.fromCharCode(message[0]!);
    if (message.readUInt32BE(1) < 4 || !EXPECTED.has(type)) {
      throw new BadFrame('does not speak the protocol of this store');
    }
    if (type === 'T') checkColumns(message);
    if (type === 'R') checkAuthentication(message, this.#isSecure);
    if (type === 'D' && ++this.#rows > MOST_ROWS) throw new BadFrame(`sent more than ${MOST_ROWS} rows`);
  }
}

/** Each column is a name that ends with a zero, and 18 bytes. */
function checkColumns(message: Buffer): void {
  if (message.length < 7) throw new BadFrame('sent a broken description of rows');
  let at = 7;
  for (let left = message.readUInt16BE(5); left > 0; left--) {
    const end = message.indexOf(0, at);
    at = end + 19;
    if (end < 0 || at > message.length) throw new BadFrame('sent a broken description of rows');
  }
}

function checkAuthentication(message: Buffer, isSecure: boolean): void {
  const kind = message.length < 9 ? -1 : message.readUInt32BE(5);
  if (!AUTHENTICATIONS.has(kind)) throw new BadFrame('asks for a way to log in that is not known here');
  if (kind === CLEARTEXT && !isSecure) {
    throw new BadFrame('asks for the password in clear text without TLS');
  }
  const rest = message.toString('latin1', 9);
  if (kind === 10 && !rest.split('\0').includes('SCRAM-SHA-256')) {
    throw new BadFrame('asks for a way to log in that is not known here');
  }
  if (kind === 11) {
    const iterations = Number(/^r=[^,]+,s=[A-Za-z\d+/]+=*,i=(\d{1,7})(?:,|$)/.exec(rest)?.[1]);
    if (!(iterations >= 1 && iterations <= MOST_ITERATIONS)) {
      throw new BadFrame('sent a challenge that cannot be answered');
    }
  }
}
