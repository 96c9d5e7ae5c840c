import type { Context } from '#src/context/context.ts';
import { type Entry, textEntry } from './archive.ts';

const OBJECTS_PER_PAGE = 500;

/**
 * Returns a bucket object as an archive entry. If the object no longer exists, the entry is a note that says
 * so.
 */
export async function objectEntry(ctx: Context, key: string, name: string): Promise<Entry> {
  const object = await ctx.bucket.get(key);
  if (!object)
    return textEntry(`${name}.missing`, 'The object did not exist when the archive was exported.\n');
  return { name, size: object.size, modified: object.uploaded, bytes: object.body };
}

/** Yields every object under a prefix. `getName` returns the object's name in the archive. */
export async function* objectEntries(
  ctx: Context,
  prefix: string,
  getName: (key: string) => string,
): AsyncGenerator<Entry> {
  for (let startAfter: string | undefined; ; ) {
    const listed = await ctx.bucket.list({
      prefix,
      limit: OBJECTS_PER_PAGE,
      ...(startAfter && { startAfter }),
    });
    for (const { key } of listed.objects) yield await objectEntry(ctx, key, getName(key));
    startAfter = listed.objects.at(-1)?.key;
    if (!listed.truncated || !startAfter) return;
  }
}

/**
 * Returns a file name that every file system accepts, without folders and control characters and with limited
 * length.
 */
export function safeName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cs}/\\:*?"<>|]/gu, '_')
    .slice(-120)
    .trim()
    // Leading dots are replaced last, because cutting and trimming may leave a dot at the start of the name.
    .replace(/^\.+/, '_');
  return plain || 'unnamed';
}
