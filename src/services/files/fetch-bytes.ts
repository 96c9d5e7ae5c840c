import type { Context } from '#src/context/context.ts';
import { TooLarge } from '#src/lib/errors.ts';
import { fetchUrl } from '#src/upstream/fetch-url.ts';

/**
 * Fetches the bytes of a URL that an API client has chosen. Only public addresses are fetched. Throws TooLarge beyond
 * `limit` bytes.
 */
export async function fetchBytes(
  { settings }: Context,
  url: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = await fetchUrl(settings, url, { followRedirects: true, limit });
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit) throw new TooLarge(`The file at ${new URL(url).host} has more than ${limit} bytes.`);
    pieces.push(piece);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
