/** Decodes a picture that is written as hexadecimal digits. Returns `undefined` if it is too short. */
export function decodeHexPicture(parts: readonly string[]): Uint8Array | undefined {
  const hex = parts.join('').replace(/[^0-9a-f]/gi, '');
  if (hex.length < 32) return undefined;
  return Uint8Array.from({ length: hex.length >> 1 }, (_, at) =>
    Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  );
}
