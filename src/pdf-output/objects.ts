const encoder = new TextEncoder();

/** Writes a PDF file object by object. Only the byte offsets of the objects stay in memory. */
export class PdfObjects {
  #offset = 0;
  /** Byte offset of each PDF object, by object number. The offset is 0 until the object is written. */
  readonly #offsets: number[] = [0];

  /**
   * Reserves and returns an object number, so that other objects can refer to an object before it is written.
   */
  reserve(): number {
    return this.#offsets.push(0) - 1;
  }

  head(): Uint8Array {
    // The PDF header contains non-ASCII bytes, so that programs transfer the file as binary data.
    return this.#advance(
      concatBytes([encoder.encode('%PDF-1.7\n%'), Uint8Array.of(0xe2, 0xe3, 0xcf, 0xd3, 0x0a)]),
    );
  }

  object(number: number, body: string): Uint8Array {
    this.#offsets[number] = this.#offset;
    return this.#advance(encoder.encode(`${number} 0 obj\n${body}\nendobj\n`));
  }

  /** Writes a PDF stream object. `entries` are the entries of the stream's dictionary, without the length. */
  stream(number: number, entries: string, bytes: Uint8Array): Uint8Array {
    this.#offsets[number] = this.#offset;
    return this.#advance(
      concatBytes([
        encoder.encode(`${number} 0 obj\n<< ${entries} /Length ${bytes.byteLength} >>\nstream\n`),
        bytes,
        encoder.encode('\nendstream\nendobj\n'),
      ]),
    );
  }

  async compressedStream(number: number, entries: string, bytes: Uint8Array | string): Promise<Uint8Array> {
    const plain = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
    return this.stream(number, `${entries} /Filter /FlateDecode`, await deflate(plain));
  }

  tail(root: number, info: number): Uint8Array {
    const size = this.#offsets.length;
    const rows = this.#offsets
      .slice(1)
      .map((at) => `${String(at).padStart(10, '0')} 00000 ${at === 0 ? 'f' : 'n'} \n`);
    const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
    const trailer = `trailer << /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>`;
    return encoder.encode(`${table}${trailer}\nstartxref\n${this.#offset}\n%%EOF\n`);
  }

  #advance(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.byteLength;
    return bytes;
  }
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

export const formatNumber = (value: number): string => String(Math.round(value * 100) / 100);

/** Encodes text as a PDF string in UTF-16 with a byte order mark, which supports all scripts. */
export const toTextString = (text: string): string => `<FEFF${toUtf16Hex(text)}>`;

export function toUtf16Hex(text: string): string {
  let hex = '';
  for (let at = 0; at < text.length; at++) hex += toHex4(text.charCodeAt(at));
  return hex;
}

export const toHex4 = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
