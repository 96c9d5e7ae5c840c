import { readPageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { deleteKeys } from '#src/services/files/bucket.ts';
import { withoutOwner } from '#src/services/files/owned-objects.ts';
import { type Check, type Finding, mended, TOKEN_PLACE } from '#src/services/operating/check.ts';

/**
 * Finds bucket objects that no row refers to. Only objects older than a day are checked, because a row may be
 * written after its object. Keys of unknown form are left alone.
 */
export const checkObjects: Check = async (ctx, input) => {
  const [cursor] = readPageToken(input.page_token, ['string'], TOKEN_PLACE) ?? [];
  const from = cursor === undefined ? {} : { startAfter: cursor };
  const listed = await ctx.bucket.list({ prefix: 'projects/', limit: input.page_size, ...from });
  const before = Date.now() - DAY_MS;
  const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < before);
  const orphans = await withoutOwner(
    ctx,
    old.map(({ key }) => key),
  );
  const isMended = orphans.length > 0 && (await mended(ctx, input, () => deleteKeys(ctx.bucket, orphans)));
  const findings = orphans.map((place): Finding => {
    return { level: 'warn', place, message: 'No row speaks of it.', mended: isMended };
  });
  const last = listed.objects.at(-1);
  const next_page_token = listed.truncated && last ? encodeCursor([last.key]) : null;
  return { examined: listed.objects.length, findings, next_page_token };
};
