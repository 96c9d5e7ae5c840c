let lastMoment = 0;
let sequence = 0;

/**
 * Returns a UUID of version 7: milliseconds, a counter and 62 random bits. Ids created in one isolate
 * increase, so that rows of the same millisecond keep their order.
 */
function createRisingUuid(): string {
  const now = Date.now();
  sequence = now > lastMoment ? 0 : sequence + 1;
  lastMoment = Math.max(now, lastMoment);
  if (sequence > 0xfff) {
    lastMoment += 1;
    sequence = 0;
  }
  const moment = lastMoment.toString(16).padStart(12, '0');
  const random = crypto.randomUUID().slice(18);
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${sequence.toString(16).padStart(3, '0')}${random}`;
}

/** Characters of short ids in the order of their codes, so that ids sort like the numbers that they stand for. */
const SHORT_ID_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/**
 * Returns a new id of 16 characters, for rows of which there are millions and whose id no client sees. It consists of
 * the first 60 bits of a new UUID (milliseconds and the counter) and 36 random bits, so ids of one isolate increase.
 */
export function newShortId(): string {
  const hex = createRisingUuid().replaceAll('-', '');
  // The version and the variant of the UUID are the same in all ids.
  const digits = hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(23);
  return [...digits.matchAll(/.{3}/g)]
    .map(([triple]) => {
      const bits = Number.parseInt(triple, 16);
      return SHORT_ID_CHARACTERS[bits >> 6]! + SHORT_ID_CHARACTERS[bits & 63]!;
    })
    .join('');
}

/**
 * Returns a new id. Ids in version 2 of the API have a prefix (`ext-…`), and ids in version 1 are plain
 * UUIDs.
 */
export function newId(
  prefix?: 'ext' | 'cls' | 'spl' | 'sht' | 'pjb' | 'cfg' | 'whk' | 'bat' | 'dir',
): string {
  const uuid = createRisingUuid();
  return prefix ? `${prefix}-${uuid}` : uuid;
}

/** Extracts the UUID, in lower case, from ids such as `dfl-<uuid>` or `<uuid>`. */
export function bareId(id: string): string {
  const lower = id.toLowerCase();
  return /^[a-z]{3}-[0-9a-f]{8}-/.test(lower) ? lower.slice(4) : lower;
}

/**
 * Returns an id derived from its parts (UUID version 8 over SHA-256), so that repeated work writes the same
 * row. Each part is prefixed with its length, so that ('ab','c') and ('a','bc') give different ids.
 */
export async function derivedId(...parts: (string | number)[]): Promise<string> {
  const text = parts.map((part) => `${String(part).length}:${part}`).join('');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
