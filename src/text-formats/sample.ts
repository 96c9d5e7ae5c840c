/** Bytes of a text that its encoding is decided by. */
const SAMPLE = 16 * 1024;

/** Returns the part of a text that shows its encoding, from just before its first byte beyond ASCII. */
export function takeSample(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte >= 0x80);
  return bytes.subarray(Math.max(0, start - 1), start + SAMPLE);
}

/** Returns undefined if the bytes cannot be in that encoding. A sample of a longer text may end inside a character. */
export function decodeSample(sample: Uint8Array, label: string): string | undefined {
  try {
    const stream = sample.length >= SAMPLE;
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(sample, { stream });
  } catch {
    return undefined;
  }
}
