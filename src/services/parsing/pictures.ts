import type { Context } from '#src/context.ts';
import { keys } from '#src/files/keys.ts';
import { inParallel } from '#src/lib/in-parallel.ts';
import type { FileRequest } from '#src/parsing/service.ts';
import { PageFailure, type PagePicture } from '#src/reading/read-page.ts';

/** The parser draws for so long at a time; others get their turn between. */
const DRAWING_MS = 5_000;

/** Draws those of the pages that have no picture yet. One that cannot be drawn has none afterwards. */
export async function drawMissing(
  ctx: Context,
  request: FileRequest,
  indexes: readonly number[],
  checkpoint: () => Promise<void>,
): Promise<void> {
  for (let left = indexes; left.length > 0; ) {
    const missing = await undrawn(ctx.bucket, request, left);
    // A turn that drew nothing met only pages that cannot be drawn.
    if (missing.length === 0 || (left !== indexes && missing.length === left.length)) return;
    await checkpoint();
    await ctx.parser.drawPages(request, missing, DRAWING_MS);
    left = missing;
  }
}

async function undrawn(
  bucket: R2Bucket,
  request: FileRequest,
  indexes: readonly number[],
): Promise<number[]> {
  const there = await inParallel(indexes, (index) => bucket.head(keyOf(request, index)));
  return indexes.filter((_, at) => !there[at]);
}

export async function pictureOf(bucket: R2Bucket, request: FileRequest, index: number): Promise<PagePicture> {
  const object = await bucket.get(keyOf(request, index));
  if (!object) throw new PageFailure('The page cannot be drawn, so no model can look at it.');
  const bytes = new Uint8Array(await object.arrayBuffer());
  return { bytes, mimeType: object.httpMetadata?.contentType ?? 'image/png' };
}

const keyOf = ({ projectId, contentHash }: FileRequest, index: number) =>
  keys.screenshot(projectId, contentHash, index);
