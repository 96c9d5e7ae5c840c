import { and, asc, gt, isNotNull } from 'drizzle-orm';
import { buildPage, parsePageToken } from '#src/db/paging.ts';
import { files } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { type Check, type Finding, TOKEN_LOCATION } from '#src/services/operating/check.ts';

/** Finds files whose content is missing from the bucket. Missing content can only be uploaded again. */
export const checkBytes: Check = async (ctx, input) => {
  const [after = ''] = parsePageToken(input.page_token, ['string'], TOKEN_LOCATION) ?? [];
  const rows = await ctx.db
    .select({ id: files.id, key: files.storageKey, size: files.fileSize })
    .from(files)
    .where(and(isNotNull(files.storageKey), gt(files.id, after)))
    .orderBy(asc(files.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = buildPage(rows, input.page_size, ({ id }) => [id]);
  const found = await inParallel(items, async ({ id, key, size }): Promise<Finding[]> => {
    const object = key && (await ctx.bucket.head(key));
    if (object && object.size === size) return [];
    const message = object
      ? `The stored object has ${object.size} bytes instead of ${size}. Upload the file again.`
      : 'The content is missing from the bucket. Upload the file again.';
    return [{ level: 'fail', place: `file ${id}`, message, mended: false }];
  });
  return { examined: items.length, findings: found.flat(), next_page_token };
};
