import { viewOf } from '#src/formats/doc/file-information.ts';

// Compressed RTF: [MS-OXRTFCP].

const COMPRESSED = 0x75465a4c;
const PLAIN = 0x414c454d;
const HEAD = 16;
const WINDOW = 4096;
const MOST_BYTES = 16 * 1024 * 1024;
/** What a text may refer to before it has begun. */
const KNOWN =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** The RTF in a property of a message; undefined for what is no such property. What is cut short ends early. */
export function decompressRtf(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < HEAD) return undefined;
  const view = viewOf(bytes);
  const size = Math.min(MOST_BYTES, view.getUint32(4, true));
  const kind = view.getUint32(8, true);
  if (kind === PLAIN) return bytes.subarray(HEAD, HEAD + size);
  return kind === COMPRESSED ? inflated(bytes, size) : undefined;
}

function inflated(bytes: Uint8Array, size: number): Uint8Array {
  const window = new Uint8Array(WINDOW);
  window.set(new TextEncoder().encode(KNOWN));
  let end = KNOWN.length;
  const written: number[] = [];
  const write = (byte: number) => {
    written.push(byte);
    window[end] = byte;
    end = (end + 1) % WINDOW;
  };
  for (let at = HEAD; at < bytes.length && written.length < size; ) {
    const control = bytes[at++]!;
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if (((control >> bit) & 1) === 0) {
        write(bytes[at++]!);
        continue;
      }
      const reference = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const from = reference >> 4;
      // A reference to where the window ends is the end of the text.
      if (from === end) return Uint8Array.from(written);
      const length = (reference & 15) + 2;
      for (let index = 0; index < length; index++) write(window[(from + index) % WINDOW]!);
    }
  }
  return Uint8Array.from(written.slice(0, size));
}
