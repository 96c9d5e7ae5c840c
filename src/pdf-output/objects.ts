const encoder = new TextEncoder();

/** A PDF file that is written object by object: only where each stands is held. */
export class PdfObjects {
  #offset = 0;
  /** Where each object starts, by its number; 0 while it has not been written. */
  readonly #offsets: number[] = [0];

  /** A number for an object that is written later. */
  reserve(): number {
    return this.#offsets.push(0) - 1;
  }

  head(): Uint8Array {
    // The bytes beyond ASCII tell programs that copy files that this one is no text.
    return this.#taken(joined([encoder.encode('%PDF-1.7\n%'), Uint8Array.of(0xe2, 0xe3, 0xcf, 0xd3, 0x0a)]));
  }

  object(number: number, body: string): Uint8Array {
    this.#offsets[number] = this.#offset;
    return this.#taken(encoder.encode(`${number} 0 obj\n${body}\nendobj\n`));
  }

  /** `entries` of its dictionary beside its length. */
  stream(number: number, entries: string, bytes: Uint8Array): Uint8Array {
    this.#offsets[number] = this.#offset;
    return this.#taken(
      joined([
        encoder.encode(`${number} 0 obj\n<< ${entries} /Length ${bytes.byteLength} >>\nstream\n`),
        bytes,
        encoder.encode('\nendstream\nendobj\n'),
      ]),
    );
  }

  async packed(number: number, entries: string, bytes: Uint8Array | string): Promise<Uint8Array> {
    const plain = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
    return this.stream(number, `${entries} /Filter /FlateDecode`, await deflated(plain));
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

  #taken(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.byteLength;
    return bytes;
  }
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

export const number = (value: number): string => String(Math.round(value * 100) / 100);

/** UTF-16 with its mark, as texts of a PDF are that any script may stand in. */
export const textString = (text: string): string => `<FEFF${utf16Hex(text)}>`;

export function utf16Hex(text: string): string {
  let hex = '';
  for (let at = 0; at < text.length; at++) hex += hex4(text.charCodeAt(at));
  return hex;
}

export const hex4 = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
