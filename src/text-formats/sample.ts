/** Size in bytes of the sample from which the encoding of a text is determined. */
const SAMPLE = 16 * 1024;

/** Returns the part of a text that reveals its encoding. It starts just before the first non-ASCII byte. */
export function takeSample(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte >= 0x80);
  return bytes.subarray(Math.max(0, start - 1), start + SAMPLE);
}

/**
 * Decodes a sample of a text. Returns `undefined` if the bytes are invalid in the encoding. If the text is
 * longer, the sample may end inside a character.
 */
export function decodeSample(sample: Uint8Array, label: string): string | undefined {
  try {
    const stream = sample.length >= SAMPLE;
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(sample, { stream });
  } catch {
    return undefined;
  }
}
