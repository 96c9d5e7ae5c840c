const encoder = new TextEncoder();

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  let text = '';
  for (const byte of view) text += HEX[byte];
  return text;
}

/** Returns the SHA-256 hash in hexadecimal. */
export async function sha256(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  return toHex(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

/**
 * Serializes a value as JSON with sorted keys and without undefined or null members. Values with the same
 * meaning give the same text.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member as Record<string, unknown>)
            .filter(([, inner]) => inner !== undefined && inner !== null)
            .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
        )
      : member,
  );
}

/**
 * Returns a short hash of a configuration. Equal configurations have the same hash, so that they can share
 * results.
 */
export async function configHash(value: unknown): Promise<string> {
  return (await sha256(canonicalJson(value ?? {}))).slice(0, 32);
}
