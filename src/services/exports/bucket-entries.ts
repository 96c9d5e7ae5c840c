import type { Context } from '#src/context/context.ts';
import { type Entry, textEntry } from './archive.ts';

const OBJECTS_PER_PAGE = 500;

/** An object of the bucket. One that has gone meanwhile leaves a note in its place. */
export async function objectEntry(ctx: Context, key: string, name: string): Promise<Entry> {
  const object = await ctx.bucket.get(key);
  if (!object) return textEntry(`${name}.missing`, 'There were no bytes when this was exported.\n');
  return { name, size: object.size, modified: object.uploaded, bytes: object.body };
}

/** Everything under a prefix; `nameOf` gives an object's name in the archive. */
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

/** A name that every system of files takes: no folders, no control characters, of some length. */
export function safeName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cs}/\\:*?"<>|]/gu, '_')
    .slice(-120)
    .trim()
    // Last, so that nothing that went before makes them the beginning.
    .replace(/^\.+/, '_');
  return plain || 'unnamed';
}
