import type { TurnPicture } from '#src/chat/model-request.ts';
import type { Context } from '#src/context/context.ts';
import { Invalid, TooLarge } from '#src/lib/errors.ts';
import { fetchBytes } from '#src/services/files/fetch-bytes.ts';
import type { ChatCompletionRequest } from './chat.schemas.ts';

type Message = ChatCompletionRequest['messages'][number];
type Path = (string | number)[];

/** Maximum number of pictures of a conversation. */
const MAX_PICTURES = 20;
const MAX_PICTURE_BYTES = 5 * 2 ** 20;
/** Maximum number of bytes of all pictures of a conversation together. */
const MAX_TOTAL_BYTES = 10 * 2 ** 20;

const WANTED = 'a picture is a data: URL with base64, or an https URL';
const DATA_URL = /^data:[\w.+/-]{0,100}(?:;[\w=.-]{1,100})*;base64,$/i;
/** Maximum number of characters of a data: URL before its data. */
const MAX_URL_START = 1_000;

interface Part {
  url: string;
  path: Path;
}

/**
 * Reads the pictures of each message, from data: URLs and from https URLs with public addresses. `rootPath` is the path
 * of the messages in the request, for errors. Throws Invalid if a part is not a picture that language models take.
 */
export async function readPictures(
  ctx: Context,
  messages: readonly Message[],
  rootPath: (message: number, part: number) => Path,
): Promise<TurnPicture[][]> {
  const parts = messages.map((message, index) => listParts(message, (part) => rootPath(index, part)));
  const count = parts.flat().length;
  if (count > MAX_PICTURES) {
    throw Invalid.field(
      rootPath(0, 0).slice(0, 1),
      `a conversation may have at most ${MAX_PICTURES} pictures`,
    );
  }
  let left = MAX_TOTAL_BYTES;
  const pictures: TurnPicture[][] = [];
  for (const own of parts) {
    const read: TurnPicture[] = [];
    for (const part of own) {
      const bytes = await readBytes(ctx, part);
      left -= bytes.byteLength;
      if (left < 0)
        throw Invalid.field(part.path, 'the pictures of a conversation may have at most 10 MiB together');
      read.push({ mediaType: detectMediaType(bytes, part.path), bytes });
    }
    pictures.push(read);
  }
  return pictures;
}

function listParts({ role, content }: Message, toPath: (part: number) => Path): Part[] {
  if (typeof content === 'string' || !content) return [];
  return content.flatMap((part, index) => {
    if (part.type !== 'image_url') return [];
    const path = toPath(index);
    if (role !== 'user') throw Invalid.field(path, 'only messages of the role `user` may have pictures');
    const given = part.image_url;
    const url = typeof given === 'object' && given !== null ? (given as { url?: unknown }).url : given;
    if (typeof url !== 'string' || !/^(data|https):/i.test(url)) throw Invalid.field(path, WANTED);
    return [{ url, path }];
  });
}

const readBytes = (ctx: Context, part: Part): Promise<Uint8Array<ArrayBuffer>> =>
  /^data:/i.test(part.url) ? decodeDataUrl(part) : download(ctx, part);

async function decodeDataUrl({ url, path }: Part): Promise<Uint8Array<ArrayBuffer>> {
  const start = url.slice(0, MAX_URL_START).indexOf(',') + 1;
  if (!DATA_URL.test(url.slice(0, start))) throw Invalid.field(path, WANTED);
  const text = url.slice(start);
  if ((text.length * 3) / 4 > MAX_PICTURE_BYTES + 3) throw createTooLarge(path);
  return requireSize(decodeBase64(text, path), path);
}

function decodeBase64(text: string, path: Path): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw Invalid.field(path, 'the data: URL is not valid base64');
  }
  // `Uint8Array.from` takes twenty times as long, because it iterates over the string.
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

async function download(ctx: Context, { url, path }: Part): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await fetchBytes(ctx, url, MAX_PICTURE_BYTES);
  } catch (error) {
    throw error instanceof TooLarge ? createTooLarge(path) : error;
  }
}

function requireSize(bytes: Uint8Array<ArrayBuffer>, path: Path): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength > MAX_PICTURE_BYTES) throw createTooLarge(path);
  return bytes;
}

const createTooLarge = (path: Path) => Invalid.field(path, 'a picture may have at most 5 MiB');

const SIGNATURES = {
  'image/png': /^\x89PNG\r\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
};

/** Returns the media type of a picture by its first bytes, because the sender's statement may be wrong. */
function detectMediaType(bytes: Uint8Array, path: Path): string {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const found = Object.entries(SIGNATURES).find(([, signature]) => signature.test(start));
  if (!found) throw Invalid.field(path, 'a picture should be a PNG, JPEG, GIF or WebP file');
  return found[0];
}
