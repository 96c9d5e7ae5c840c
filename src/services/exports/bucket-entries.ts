import type { Context } from '#src/context/context.ts';
import { type Entry, textEntry } from './archive.ts';

const OBJECTS_PER_PAGE = 500;

/** Returns a bucket object as an entry. An object that was deleted in the meantime becomes a note. */
export async function objectEntry(ctx: Context, key: string, name: string): Promise<Entry> {
  const object = await ctx.bucket.get(key);
  if (!object) return textEntry(`${name}.missing`, 'There were no bytes when this was exported.\n');
  return { name, size: object.size, modified: object.uploaded, bytes: object.body };
}

/** Yields every object under a prefix. `nameOf` returns an object's name in the archive. */
export async function* objectEntries(
  ctx: Context,
  prefix: string,
  nameOf: (key: string) => string,
): AsyncGenerator<Entry> {
  for (let startAfter: string | undefined; ; ) {
    const listed = await ctx.bucket.list({
      prefix,
      limit: OBJECTS_PER_PAGE,
      ...(startAfter && { startAfter }),
    });
    for (const { key } of listed.objects) yield await objectEntry(ctx, key, nameOf(key));
    startAfter = listed.objects.at(-1)?.key;
    if (!listed.truncated || !startAfter) return;
  }
}

/** Returns a name that every file system accepts: no folders, no control characters, limited length. */
export function safeName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cs}/\\:*?"<>|]/gu, '_')
    .slice(-120)
    .trim()
    // Done last, because cutting and trimming the name may leave a dot at its start.
    .replace(/^\.+/, '_');
  return plain || 'unnamed';
}
