import { and, asc, gt, isNotNull } from 'drizzle-orm';
import { pageOf, readPageToken } from '#src/db/paging.ts';
import { files } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { type Check, type Finding, TOKEN_PLACE } from '#src/services/operating/check.ts';

/** Whether the bytes of each file are in the bucket. Lost ones can only be brought again. */
export const checkBytes: Check = async (ctx, input) => {
  const [after = ''] = readPageToken(input.page_token, ['string'], TOKEN_PLACE) ?? [];
  const rows = await ctx.db
    .select({ id: files.id, key: files.storageKey, size: files.fileSize })
    .from(files)
    .where(and(isNotNull(files.storageKey), gt(files.id, after)))
    .orderBy(asc(files.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = pageOf(rows, input.page_size, ({ id }) => [id]);
  const found = await inParallel(items, async ({ id, key, size }): Promise<Finding[]> => {
    const object = key && (await ctx.bucket.head(key));
    if (object && object.size === size) return [];
    const message = object
      ? `Its bytes are ${object.size}, not ${size}.`
      : 'Its bytes are gone: upload it again.';
    return [{ level: 'fail', place: `file ${id}`, message, mended: false }];
  });
  return { examined: items.length, findings: found.flat(), next_page_token };
};
