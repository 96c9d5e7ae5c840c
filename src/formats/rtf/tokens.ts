export type RtfToken =
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'word'; word: string; value: number | undefined }
  | { type: 'byte'; value: number }
  /** Bytes of text between control words, without the line breaks of the file. */
  | { type: 'text'; bytes: Uint8Array }
  /** Raw data that follows the control word \binN. */
  | { type: 'binary'; bytes: Uint8Array };

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const isLetter = (byte: number | undefined) =>
  byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Yields the tokens of an RTF file in order. Takes time linear in the file size. */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === OPEN || byte === CLOSE) {
      at++;
      yield byte === OPEN ? { type: 'open' } : { type: 'close' };
    } else if (byte === 0x0a || byte === 0x0d || byte === 0) at++;
    else if (byte !== BACKSLASH) {
      const from = at;
      while (at < bytes.length && !isDelimiter(bytes[at]!)) at++;
      yield { type: 'text', bytes: bytes.subarray(from, at) };
    } else if (isLetter(bytes[at + 1])) {
      const from = ++at;
      while (isLetter(bytes[at]) && at - from < 32) at++;
      const word = String.fromCharCode(...bytes.subarray(from, at));
      const digits = at;
      if (bytes[at] === 0x2d) at++;
      while (isDigit(bytes[at]) && at - digits < 11) at++;
      const number = String.fromCharCode(...bytes.subarray(digits, at));
      const value = number === '' || number === '-' ? undefined : Number(number);
      if (bytes[at] === 0x20) at++;
      if (word === 'bin' && value !== undefined && value > 0) {
        yield { type: 'binary', bytes: bytes.subarray(at, at + value) };
        at += value;
      } else yield { type: 'word', word, value };
    } else if (bytes[at + 1] === 0x27) {
      const value = Number.parseInt(String.fromCharCode(bytes[at + 2] ?? 48, bytes[at + 3] ?? 48), 16);
      at += 4;
      if (!Number.isNaN(value)) yield { type: 'byte', value };
    } else {
      const symbol = bytes[at + 1];
      at += 2;
      if (symbol === undefined) return;
      yield { type: 'word', word: String.fromCharCode(symbol), value: undefined };
    }
  }
}

function isDelimiter(byte: number): boolean {
  return byte === BACKSLASH || byte === OPEN || byte === CLOSE || byte === 0x0a || byte === 0x0d;
}
